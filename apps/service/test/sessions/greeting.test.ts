import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { ServiceError } from '@tunnel/models'
import { describe, expect, it } from 'vitest'
import { bindOf, helloOf, listen, openWebSocket, TestAgent } from './sessions-harness.ts'

describe('a hello', () => {
  it.each([
    ['an unknown token', { authtoken: 'token-unknown' }, 'authtoken_invalid', 107],
    ['no token', { authtoken: '' }, 'authtoken_invalid', 107],
    ['an unknown protocol version', { protocolVersions: [1, 99] }, 'protocol_version_unsupported', 120],
  ])('with %s is refused with its own reason and time to come back', async (_name, change, reason, code) => {
    await using service = await listen()
    const agent = await TestAgent.connect(service.url)
    agent.session.send(helloOf(change))
    const refused = await agent.message('refused')
    expect(refused.error).toMatchObject({ reason, code, retryable: false })
    expect(refused.retryAfterMs).toBeGreaterThanOrEqual(60_000)
    expect(await agent.closed()).toMatchObject({ by: 'peer' })
    expect(service.sessions.list('ac_1')).toEqual([])
  })

  it('with a revoked token is refused, and a failure of ours is not told', async () => {
    const failures = [new ServiceError('authtoken_revoked'), new Error('the database at 10.0.0.5 is down')]
    await using service = await listen({ authtokens: { verify: () => Promise.reject(failures.shift()!) } })
    const agents = [await TestAgent.connect(service.url), await TestAgent.connect(service.url)]
    for (const agent of agents) {
      agent.session.send(helloOf())
      await agent.message('refused')
    }
    const errors = agents.map(({ messages: [message] }) => message?.type === 'refused' && message.error)
    expect(errors[0]).toMatchObject({ reason: 'authtoken_revoked', code: 300 })
    expect(errors[1]).toMatchObject({ reason: 'internal_error', retryable: true })
    expect(JSON.stringify(errors[1])).not.toContain('10.0.0.5')
    expect(service.log.find(({ event }) => event === 'session refused' && true)).toBeDefined()
  })

  it('at the ingress of an account is for the agents of that account alone', async () => {
    await using service = await listen({}, 'ac_1')
    await TestAgent.online(service.url)
    const other = await TestAgent.connect(service.url)
    other.session.send(helloOf({ authtoken: 'token-other' }))
    const { error } = await other.message('refused')
    expect(error).toMatchObject({ reason: 'ingress_of_other_account', retryable: false })
    expect([service.sessions.list('ac_1').length, service.sessions.list('ac_2').length]).toEqual([1, 0])
  })

  it('never reaches the log with its token', async () => {
    await using service = await listen()
    await TestAgent.online(service.url)
    const refused = await TestAgent.connect(service.url)
    refused.session.send(helloOf({ authtoken: 'token-secret-wrong' }))
    await refused.closed()
    const log = JSON.stringify(service.log)
    expect(log).not.toContain('token-all')
    expect(log).not.toContain('token-secret-wrong')
  })

  it.each([
    ['a bind', bindOf('b')],
    ['a command result', { type: 'commandResult', id: 'c', error: null } as const],
  ])('that is missing before %s ends the connection', async (_name, message) => {
    await using service = await listen()
    const agent = await TestAgent.connect(service.url)
    agent.session.send(message)
    expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'protocol_error' })
  })

  it('that is said twice, or while the first is being checked, ends the connection', async () => {
    await using service = await listen()
    const [agent] = await TestAgent.online(service.url)
    agent.session.send(helloOf())
    expect(await agent.closed()).toMatchObject({ code: 'protocol_error' })
    const hasty = await TestAgent.connect(service.url)
    hasty.session.send(helloOf())
    hasty.session.send(helloOf())
    expect(await hasty.closed()).toMatchObject({ code: 'protocol_error' })
    await expect.poll(() => service.sessions.list('ac_1')).toEqual([])
  })

  it('that never comes ends the connection', async () => {
    await using service = await listen({ limits: { helloWithinMs: 50 } })
    const agent = await TestAgent.connect(service.url)
    expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'handshake_timeout' })
  })

  it('may not be preceded or filled by more bytes than an anonymous peer may send', async () => {
    await using service = await listen({ limits: { helloMaxBytes: 4096 } })
    const agent = await TestAgent.connect(service.url)
    agent.socket.write(
      Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]), Buffer.alloc(8000)]),
    )
    expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'limit_exceeded' })
  })
})

describe('an upgrade', () => {
  it('without the subprotocol is refused', async () => {
    await using service = await listen()
    await expect(openWebSocket(service.url, 'something-else')).rejects.toThrow('400')
  })

  it('beyond the bound of anonymous connections is turned away, from one address and in all', async () => {
    await using service = await listen({ limits: { unauthenticatedPerAddressMax: 3 } })
    const idle = await Promise.all([1, 2, 3].map(() => TestAgent.connect(service.url)))
    await expect(TestAgent.connect(service.url)).rejects.toThrow('503')
    idle[0]?.session.send(helloOf())
    await idle[0]?.message('welcome')
    const [again] = await TestAgent.online(service.url)
    idle[1]?.socket.destroy()
    await idle[1]?.closed()
    const last = await TestAgent.connect(service.url)
    expect([again.ending, last.ending]).toEqual([null, null])
  })

  it('after the drain began is turned away', async () => {
    await using service = await listen()
    await service.sessions.drain(0)
    await expect(TestAgent.connect(service.url)).rejects.toThrow('503')
  })
})

it('hundreds of idle sockets are bounded, and disturb nobody', async () => {
  await using service = await listen({ limits: { unauthenticatedMax: 100 } })
  const [agent] = await TestAgent.online(service.url)
  const sockets = await Promise.all(Array.from({ length: 400 }, () => rawUpgrade(service.port)))
  const statuses = await Promise.all(sockets.map(firstLine))
  expect(statuses.filter((line) => line.includes('101'))).toHaveLength(100)
  expect(statuses.filter((line) => line.includes('503'))).toHaveLength(300)
  expect((await agent.bind('b')).error).toBeNull()
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await TestAgent.online(service.url))[0].ending).toBeNull()
})

async function rawUpgrade(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    'GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
      'Sec-WebSocket-Protocol: tunnel-session\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  return socket
}

async function firstLine(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString().split('\r\n')[0] ?? ''
}
