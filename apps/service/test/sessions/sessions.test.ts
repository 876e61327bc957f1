import { expect, it } from 'vitest'
import { helloOf, listen, TestAgent, zone } from './sessions-harness.ts'

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

it('displaces the ghost of a returning agent at once: its names are free for the new session', async () => {
  await using service = await listen()
  const [ghost, { clientId, cookie }] = await TestAgent.online(service.url)
  await ghost.bind('a', { domain: 'device.tunnel.test' })
  ghost.socket.pause()
  const [agent] = await TestAgent.online(service.url, { resume: { clientId, cookie } })
  expect(service.sessions.list('ac_1')).toHaveLength(1)
  expect((await agent.bind('a', { domain: 'device.tunnel.test' })).error).toBeNull()
  ghost.socket.resume()
  await ghost.closed()
  expect(service.sessions.find('device.tunnel.test')).toMatchObject({ kind: 'online' })
})

it('gives a new identity for a forged cookie, or one of another account', async () => {
  await using service = await listen()
  const [first, { clientId, cookie }] = await TestAgent.online(service.url)
  const [, forged] = await TestAgent.online(service.url, { resume: { clientId, cookie: `${cookie.slice(0, -2)}AA` } })
  const [, foreign] = await TestAgent.online(service.url, { authtoken: 'token-other', resume: { clientId, cookie } })
  expect(forged.clientId).not.toBe(clientId)
  expect(foreign.clientId).not.toBe(clientId)
  expect(first.ending).toBeNull()
})

it('keeps clones of one device from displacing each other for ever', async () => {
  await using service = await listen()
  const [, identity] = await TestAgent.online(service.url, { bootId: 'boot-a' })
  const resume = { clientId: identity.clientId, cookie: identity.cookie }
  const [clone] = await TestAgent.online(service.url, { bootId: 'boot-b', resume })
  const original = await TestAgent.connect(service.url)
  original.session.send(helloOf({ bootId: 'boot-a', resume }))
  const refused = await original.message('refused')
  expect(refused.error).toMatchObject({ reason: 'duplicate_identity', retryable: true })
  expect(clone.ending).toBeNull()
  const [again] = await TestAgent.online(service.url, { bootId: 'boot-b', resume })
  expect(await clone.closed()).toMatchObject({ code: 'displaced' })
  expect(again.ending).toBeNull()
})

it.each([
  ['a name of another account that is online', { domain: 'taken.tunnel.test' }, 'endpoint_taken', 334],
  ['a name that the service uses', { domain: 'connect.tunnel.test' }, 'bind_name_not_reserved', 320],
  ['a name below one that the service uses', { domain: 'x.api.tunnel.test' }, 'bind_name_not_reserved', 320],
  ['the wildcard over the zone', { domain: '*.tunnel.test' }, 'bind_name_not_reserved', 320],
  ['the zone itself', { domain: 'tunnel.test' }, 'bind_name_not_reserved', 320],
  ['a foreign domain', { domain: 'www.example.org' }, 'bind_name_not_reserved', 320],
  ['a malformed domain', { domain: 'a_b.tunnel.test' }, 'bind_name_invalid', 326],
  ['domain and labels', { domain: 'a.tunnel.test', labels: { a: 'b' } }, 'bind_domain_and_labels', 395],
  [
    'an address that is not reserved',
    { protocol: 'tcp' as const, domain: '1.tcp.test:1' },
    'bind_addr_not_reserved',
    3843,
  ],
  ['a bind id in use', { bindId: 'used' }, 'bind_id_in_use', null],
])('refuses %s', async (_name, change, reason, code) => {
  await using service = await listen()
  const [other] = await TestAgent.online(service.url, { authtoken: 'token-other' })
  await other.bind('x', { domain: 'taken.tunnel.test' })
  const [agent] = await TestAgent.online(service.url)
  await agent.bind('used', { domain: 'used.tunnel.test' })
  expect((await agent.bind('new', change)).error).toMatchObject({ reason, code })
  expect(service.sessions.tunnels('ac_1')).toHaveLength(1)
})

it('gives a name to exactly one of many that ask for it at the same time', async () => {
  await using service = await listen()
  const agents = await Promise.all([...Array(30).keys()].map(() => TestAgent.online(service.url)))
  const results = await Promise.all(agents.map(([agent]) => agent.bind('b', { domain: 'one.tunnel.test' })))
  expect(results.filter(({ tunnel }) => tunnel)).toHaveLength(1)
  expect(new Set(results.map(({ error }) => error?.reason))).toEqual(new Set([undefined, 'endpoint_taken']))
})

it('binds labels without an address, under the rules for labels', async () => {
  await using service = await listen()
  const [agent] = await TestAgent.online(service.url, { authtoken: 'token-site' })
  const bound = await agent.bind('a', { labels: { place: 'attic' } })
  expect(bound.tunnel).toMatchObject({ url: null, domain: null })
  expect((await agent.bind('b', { labels: { colour: 'red' } })).error).toMatchObject({ code: 399 })
  expect(service.sessions.tunnels('ac_1').map(({ bind }) => bind.labels)).toEqual([{ place: 'attic' }])
})

it('passes a compiled policy to the edge, and refuses a wrong one without binding', async () => {
  const compilePolicy = async (policy: unknown) => {
    if (policy === 'wrong') throw new Error('not a policy')
    return { compiled: policy }
  }
  await using service = await listen({ compilePolicy })
  const [agent] = await TestAgent.online(service.url)
  await agent.bind('a', { domain: 'a.tunnel.test', policy: { inbound: [] } })
  expect(service.sessions.find('a.tunnel.test')).toMatchObject({ tunnel: { policy: { compiled: { inbound: [] } } } })
  expect((await agent.bind('b', { domain: 'b.tunnel.test', policy: 'wrong' })).error).not.toBeNull()
  expect(service.sessions.find('b.tunnel.test')).toEqual({ kind: 'unknown' })
})

it('takes a name back on unbind, and remembers it as offline when the session is lost', async () => {
  await using service = await listen()
  const [agent] = await TestAgent.online(service.url)
  await agent.bind('a', { domain: 'a.tunnel.test' })
  await agent.bind('b', { domain: 'b.tunnel.test' })
  agent.session.send({ type: 'unbind', bindId: 'a' })
  expect((await agent.message('unbindResult')).error).toBeNull()
  agent.session.send({ type: 'unbind', bindId: 'a' })
  expect((await agent.message('unbindResult', 1)).error).toMatchObject({ reason: 'bind_unknown' })
  expect(service.sessions.find('a.tunnel.test')).toEqual({ kind: 'unknown' })
  const online = service.sessions.find('b.tunnel.test')
  agent.socket.destroy()
  await expect.poll(() => service.sessions.find('b.tunnel.test')).toEqual({ kind: 'offline' })
  expect(() => online.kind === 'online' && online.tunnel.openStream({ kind: 'http', visitorAddress: '' })).toThrow(
    'offline',
  )
})

it('carries a stream from the edge to the agent, with the bind it is for', async () => {
  await using service = await listen()
  const [agent] = await TestAgent.online(service.url)
  agent.onStream = (stream) =>
    stream.attach({
      onData: (chunk) => void stream.write(Buffer.from(`${stream.header.bindId} ${chunk.toString()}`)),
      onEnd: () => stream.end(),
      onDrain: () => {},
      onClose: () => {},
    })
  await agent.bind('a', { domain: 'a.tunnel.test' })
  const route = service.sessions.find('a.tunnel.test')
  if (route.kind !== 'online') throw new Error('not online')
  const stream = route.tunnel.openStream({ kind: 'http', visitorAddress: '10.1.2.3:4' })
  const received: string[] = []
  const closed = new Promise((resolve) =>
    stream.attach({
      onData: (chunk) => void received.push(chunk.toString()),
      onEnd: () => {},
      onDrain: () => {},
      onClose: resolve,
    }),
  )
  stream.write(Buffer.from('hello'))
  stream.end()
  expect(await closed).toEqual({ kind: 'finished' })
  expect(received.join('')).toBe('a hello')
})

it('stops tunnels that new rules of their credential forbid, and closes sessions of a revoked one', async () => {
  await using service = await listen()
  const [agent] = await TestAgent.online(service.url)
  await agent.bind('a', { domain: 'a.tunnel.test' })
  await agent.bind('b', { domain: 'b.tunnel.test' })
  service.sessions.applyAcl('cr_1', ['bind:b.tunnel.test'])
  expect(await agent.message('stopTunnel')).toMatchObject({ bindId: 'a', error: { code: 316 } })
  expect(service.sessions.find('a.tunnel.test')).toEqual({ kind: 'unknown' })
  expect(service.sessions.find('b.tunnel.test').kind).toBe('online')
  expect((await agent.bind('a', { domain: 'a.tunnel.test' })).error).toMatchObject({ code: 316 })
  service.sessions.closeByCredential('cr_1')
  expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'credential_revoked' })
})
