import { expect, it } from 'vitest'
import { listen, TestAgent, zone } from './sessions-harness.ts'

it('welcomes an agent with a valid token and lists its session to its account alone', async () => {
  await using service = await listen()
  const [agent, welcome] = await TestAgent.online(service.url, { metadata: 'serial 7', os: 'linux' })
  expect(welcome).toMatchObject({ protocolVersion: 2, region: 'test', zone, deprecation: null })
  const [facts] = service.sessions.list('ac_1')
  expect(facts).toMatchObject({ id: welcome.sessionId, credentialId: 'cr_1', ip: '127.0.0.1', transport: 'service/2' })
  expect(facts?.hello.metadata).toBe('serial 7')
  expect(JSON.stringify(facts)).not.toContain('token-all')
  expect(service.sessions.get('ac_1', welcome.sessionId)).toBe(facts)
  expect(service.sessions.get('ac_2', welcome.sessionId)).toBeUndefined()
  agent.session.close({ code: 'shutdown', retryAfterMs: 0, message: '' })
})

it('gives a free name that stays the same for the same agent and bind id', async () => {
  await using service = await listen()
  const [first, welcome] = await TestAgent.online(service.url)
  const bound = await first.bind('one')
  expect(bound.tunnel?.url).toMatch(/^https:\/\/[a-z2-7]{12}\.tunnel\.test$/)
  const resume = { clientId: welcome.clientId, cookie: welcome.cookie }
  const [second, again] = await TestAgent.online(service.url, { resume })
  expect(again.clientId).toBe(welcome.clientId)
  expect(again.sessionId).not.toBe(welcome.sessionId)
  expect((await second.bind('one')).tunnel?.domain).toBe(bound.tunnel?.domain)
  expect((await second.bind('two')).tunnel?.domain).not.toBe(bound.tunnel?.domain)
  expect(await first.closed()).toMatchObject({ by: 'peer', code: 'displaced' })
})

it('answers every bind by itself: one refusal leaves the others and the session alone', async () => {
  await using service = await listen()
  const [agent] = await TestAgent.online(service.url, { authtoken: 'token-site' })
  const results = await Promise.all([
    agent.bind('a', { domain: 'device1.site.tunnel.test' }),
    agent.bind('b', { domain: 'other.tunnel.test' }),
  ])
  expect(results).toHaveLength(2)
  const byId = new Map(agent.messages.flatMap((m) => (m.type === 'bindResult' ? [[m.bindId, m] as const] : [])))
  expect(byId.get('a')?.tunnel?.url).toBe('https://device1.site.tunnel.test')
  expect(byId.get('b')?.error).toMatchObject({ code: 316, reason: 'bind_name_refused', retryable: false })
  expect(byId.get('b')?.error?.message).toContain('cr_2')
  expect(service.sessions.find('device1.site.tunnel.test')).toMatchObject({ kind: 'online' })
  expect(service.sessions.find('other.tunnel.test')).toEqual({ kind: 'unknown' })
})
