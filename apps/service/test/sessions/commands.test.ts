import { describe, expect, it } from 'vitest'
import { listen, TestAgent } from './sessions-harness.ts'

describe('a command', () => {
  it('is answered when the agent has accepted it', async () => {
    await using service = await listen()
    const [agent, { sessionId }] = await TestAgent.online(service.url)
    const done = service.sessions.command('ac_1', sessionId, 'update', '1.2.3')
    const command = await agent.message('command')
    expect(command).toMatchObject({ command: 'update', version: '1.2.3' })
    agent.session.send({ type: 'commandResult', id: 'another', error: null })
    agent.session.send({ type: 'commandResult', id: command.id, error: null })
    await expect(done).resolves.toBeUndefined()
  })

  it.each([
    ['restart', 804, 808],
    ['stop', 805, 807],
    ['update', 806, 809],
  ] as const)('%s fails with the agent’s reason, before or after asking', async (kind, unsupported, failed) => {
    await using service = await listen()
    const capabilities = { restart: '', stop: '', update: '', [kind]: 'not on this platform' }
    const [, { sessionId }] = await TestAgent.online(service.url, { capabilities })
    await expect(service.sessions.command('ac_1', sessionId, kind)).rejects.toMatchObject({
      definition: { code: unsupported },
      message: expect.stringContaining('not on this platform') as string,
    })
    const [able, welcome] = await TestAgent.online(service.url)
    const done = service.sessions.command('ac_1', welcome.sessionId, kind)
    const { id } = await able.message('command')
    able.session.send({ type: 'commandResult', id, error: { code: 'busy', message: 'in the middle of something' } })
    await expect(done).rejects.toMatchObject({
      definition: { code: failed },
      message: expect.stringContaining('in the middle') as string,
    })
  })

  it('without an answer says that it may have been carried out: time is over, or the session is', async () => {
    await using service = await listen({ limits: { commandWithinMs: 50 } })
    const [agent, { sessionId }] = await TestAgent.online(service.url)
    await expect(service.sessions.command('ac_1', sessionId, 'stop')).rejects.toMatchObject({
      definition: { code: 810 },
    })
    const lost = service.sessions.command('ac_1', sessionId, 'stop')
    agent.socket.destroy()
    await expect(lost).rejects.toMatchObject({ definition: { code: 810 } })
  })

  it('waits for no other: one at a time', async () => {
    await using service = await listen()
    const [agent, { sessionId }] = await TestAgent.online(service.url)
    const first = service.sessions.command('ac_1', sessionId, 'restart')
    await expect(service.sessions.command('ac_1', sessionId, 'stop')).rejects.toMatchObject({
      reason: 'command_in_progress',
    })
    const { id } = await agent.message('command')
    agent.session.send({ type: 'commandResult', id, error: null })
    await first
  })

  it('to a session that is unknown or of another account goes nowhere', async () => {
    await using service = await listen()
    const [agent, { sessionId }] = await TestAgent.online(service.url)
    expect(service.sessions.command('ac_2', sessionId, 'stop')).toBeUndefined()
    expect(service.sessions.command('ac_1', 'ts_unknown', 'stop')).toBeUndefined()
    expect(agent.messages.filter(({ type }) => type === 'command')).toEqual([])
  })
})
