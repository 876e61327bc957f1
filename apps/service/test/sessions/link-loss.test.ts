import { type TcpRelay, startTcpRelay } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { listen, TestAgent } from './sessions-harness.ts'

describe('a half-open link', () => {
  it('is noticed by both ends within five seconds: the session ends and its names are offline', async () => {
    await using service = await listen()
    await using relay: TcpRelay = await startTcpRelay({ port: service.port })
    const [agent] = await TestAgent.online(`ws://127.0.0.1:${relay.port}`)
    await agent.bind('a', { domain: 'a.tunnel.test' })
    const startMs = performance.now()
    relay.swallow()
    expect(await agent.closed()).toMatchObject({ by: 'local', code: 'heartbeat_timeout' })
    await expect.poll(() => service.sessions.find('a.tunnel.test'), { timeout: 3000 }).toEqual({ kind: 'offline' })
    expect(performance.now() - startMs).toBeLessThan(5500)
    expect(service.sessions.list('ac_1')).toEqual([])
  }, 10_000)

  it('is noticed sooner when the agent wishes it, within the bounds of the service', async () => {
    await using service = await listen()
    await using relay = await startTcpRelay({ port: service.port })
    const heartbeat = { intervalMs: 100, toleranceMs: 600 }
    const [agent, welcome] = await TestAgent.online(`ws://127.0.0.1:${relay.port}`, { heartbeat })
    expect(welcome.heartbeat).toEqual({ intervalMs: 500, toleranceMs: 600 })
    agent.session.agree({ maxStreams: 1, heartbeat: welcome.heartbeat })
    relay.swallow()
    expect(await agent.closed()).toMatchObject({ code: 'heartbeat_timeout' })
    await expect.poll(() => service.sessions.list('ac_1'), { timeout: 2000 }).toEqual([])
  })
})

it('survives a link of one-byte segments', async () => {
  await using service = await listen()
  await using relay = await startTcpRelay({ port: service.port }, { segmentMaxBytes: 1 })
  const [agent] = await TestAgent.online(`ws://127.0.0.1:${relay.port}`)
  expect((await agent.bind('a')).error).toBeNull()
})

it('forgets a session whose link is cut in the middle of a message', async () => {
  await using service = await listen()
  await using relay = await startTcpRelay({ port: service.port })
  const [agent] = await TestAgent.online(`ws://127.0.0.1:${relay.port}`)
  await agent.bind('a', { domain: 'a.tunnel.test' })
  relay.cutAfter(50)
  agent.session.send({ type: 'commandResult', id: 'x'.repeat(60), error: null })
  expect(await agent.closed()).toMatchObject({ by: 'network' })
  await expect.poll(() => service.sessions.find('a.tunnel.test')).toEqual({ kind: 'offline' })
})

describe('a drain', () => {
  it('sends agents away at different times, and ends when all are gone', async () => {
    await using service = await listen()
    const agents = await Promise.all([...Array(20).keys()].map(() => TestAgent.online(service.url)))
    await service.sessions.drain(5000)
    const endings = await Promise.all(agents.map(([agent]) => agent.closed()))
    expect(new Set(endings.map(({ code }) => code))).toEqual(new Set(['shutdown']))
    expect(new Set(endings.map(({ retryAfterMs }) => retryAfterMs)).size).toBe(20)
    expect(service.sessions.list('ac_1')).toEqual([])
  })

  it('lets running streams finish, and cuts what is left at the deadline', async () => {
    await using service = await listen()
    const [agent] = await TestAgent.online(service.url)
    await agent.bind('a', { domain: 'a.tunnel.test' })
    agent.onStream = (stream) =>
      stream.attach({ onData: () => {}, onEnd: () => {}, onDrain: () => {}, onClose: () => {} })
    const route = service.sessions.find('a.tunnel.test')
    if (route.kind !== 'online') throw new Error('not online')
    const stream = route.tunnel.openStream({ kind: 'raw', visitorAddress: '' })
    const cut = new Promise((resolve) =>
      stream.attach({ onData: () => {}, onEnd: () => {}, onDrain: () => {}, onClose: resolve }),
    )
    const drained = service.sessions.drain(200)
    await expect.poll(() => agent.goAways).toHaveLength(1)
    expect(agent.ending).toBeNull()
    await drained
    expect(await cut).toMatchObject({ kind: 'session_lost' })
    expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'shutdown' })
  })
})
