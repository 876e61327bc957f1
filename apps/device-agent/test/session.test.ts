import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { startTcpRelay } from '@tunnel/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentFixture } from './agent-fixture.ts'
import { bindRefused, bound, FakeService, refuse, welcome } from './fake-service.ts'

let service: FakeService
let agent: AgentFixture

beforeEach(async () => {
  service = await FakeService.start()
  agent = await AgentFixture.create()
})

afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const start = (env: Record<string, string> = {}) => agent.start({ SERVICE_CONNECT_URL: service.url, ...env })
const device = { protocol: 'http', forwards_to: 'localhost:8001', domain: 'device123.sitea.example.com' }

async function startOnline(): Promise<void> {
  await start()
  await agent.untilStatus(({ session }) => session.state === 'online')
}

describe('a session', () => {
  it('says who the agent is, and leaves no token in the address', async () => {
    await start({ AGENT_METADATA: '{"serial": 7}' })
    await service.untilSessions(1)
    expect(service.latest.hello).toMatchObject({
      authtoken: 'cr_x_secret-token',
      metadata: '{"serial": 7}',
      protocolVersions: [2],
      capabilities: { restart: '', stop: '', update: '' },
      resume: null,
    })
    expect(service.upgrades[0]?.headers['sec-websocket-extensions']).toBeUndefined()
    expect(service.upgrades[0]?.url).not.toContain('secret')
  })

  it('comes back after a crash of the service with its identity and every tunnel', async () => {
    await startOnline()
    await agent.call('POST', '/tunnels', device)
    await service.crash()
    await agent.untilStatus(({ session }) => session.state === 'waiting')
    expect((await fetch(`${agent.agent.apiUrl}/readyz`)).status).toBe(503)
    await service.listen()
    await service.untilSessions(2)
    await service.untilBinds(1)
    expect(service.latest.hello.resume).toEqual({ clientId: 'client_0', cookie: 'cookie' })
    expect(service.latest.binds).toMatchObject([{ domain: device.domain, policy: { inbound: [] } }])
  })

  it('keeps its identity in a file of the owner, over a restart', async () => {
    await startOnline()
    const path = join(agent.stateDir, 'identity.json')
    expect((await stat(path)).mode & 0o077).toBe(0)
    await agent.stop()
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ resume: { clientId: 'client_0' } })
    await startOnline()
    expect(service.latest.hello.resume?.clientId).toBe('client_0')
  })

  it('notices a half-open link by itself and gets a new session', async () => {
    await using relay = await startTcpRelay({ port: service.port })
    await start({ SERVICE_CONNECT_URL: `ws://127.0.0.1:${relay.port}` })
    await agent.untilStatus(({ session }) => session.state === 'online')
    relay.swallow()
    await agent.untilStatus(({ session }) => session.state !== 'online', 5000)
    relay.heal()
    await service.untilSessions(2)
    expect(service.sessions).toHaveLength(2)
  })

  it('is dialled as soon as there is a service at all', async () => {
    await service.crash()
    await start()
    const { session } = await agent.untilStatus(({ session: { state } }) => state === 'waiting')
    expect(session.last_error?.reason).toBe('connection_refused')
    expect((await agent.call('POST', '/tunnels', device)).status).toBe(200)
    await service.listen()
    await service.untilBinds(1)
    expect(service.latest.binds[0]?.domain).toBe(device.domain)
  })

  it('waits for the hint of a service that goes away', async () => {
    await startOnline()
    service.latest.session.close({ code: 'shutdown', retryAfterMs: 40_000, message: 'maintenance' })
    await agent.untilStatus(({ session }) => session.state === 'waiting')
    expect(JSON.stringify(await agent.status())).toMatch(/"next_retry_seconds":(39|40)/)
  })

  it('names a refusal, and asks again seldom', async () => {
    service.script.greet = () => refuse('authtoken_revoked')
    await start()
    const { session } = await agent.untilStatus(({ session: { state } }) => state === 'waiting')
    expect(session.last_error).toMatchObject({ reason: 'authtoken_revoked' })
    expect(Number(/"next_retry_seconds":(\d+)/.exec(JSON.stringify(await agent.status()))?.[1])).toBeGreaterThan(55)
  })

  it('takes a new identity when another device uses its own', async () => {
    await startOnline()
    service.script.greet = (hello, turn) => (hello.resume ? refuse('duplicate_identity') : welcome(hello, turn))
    service.latest.session.close({ code: 'displaced', retryAfterMs: 0, message: '' })
    await service.untilSessions(3)
    expect(service.sessions[1]?.hello.resume).not.toBeNull()
    expect(service.latest.hello.resume).toBeNull()
    expect(service.latest.hello.installId).not.toBe(service.sessions[0]?.hello.installId)
  })

  it('a copied state directory is noticed on another machine and gets an identity of its own', async () => {
    await agent.start({ SERVICE_CONNECT_URL: service.url }, { readFingerprint: async () => 'machine a' })
    await agent.untilStatus(({ session }) => session.state === 'online')
    await agent.stop()
    await agent.start({ SERVICE_CONNECT_URL: service.url }, { readFingerprint: async () => 'machine b' })
    await service.untilSessions(2)
    expect(service.latest.hello.resume).toBeNull()
    expect(service.latest.hello.installId).not.toBe(service.sessions[0]?.hello.installId)
  })
})

describe('binds', () => {
  it('a refused one changes nothing for the others, is named, and is asked for again', async () => {
    await start()
    await agent.call('POST', '/tunnels', device)
    await agent.stop()
    let refusals = 0
    service.script.bind = (bind) =>
      bind.domain === device.domain && refusals++ === 0 ? bindRefused(bind, 'bind_name_refused', 316) : bound(bind)
    await startOnline()
    await agent.call('POST', '/tunnels', { ...device, domain: 'other.sitea.example.com' })
    const { tunnels } = await agent.untilStatus((status) => status.tunnels.length === 2)
    expect(tunnels).toMatchObject([{ state: 'refused', error: { reason: 'bind_name_refused' } }, { state: 'online' }])
    await agent.untilStatus((status) => status.tunnels[0]?.state === 'online')
  })

  it('a refusal while creating is answered with status and code, and nothing is stored', async () => {
    await startOnline()
    service.script.bind = (bind) => bindRefused(bind, 'bind_name_refused', 316)
    const { status, body } = await agent.call('POST', '/tunnels', device)
    expect({ status, body }).toMatchObject({ status: 403, body: { error_code: 'ERR_SERVICE_316' } })
    expect((await agent.call('GET', '/tunnels')).body).toEqual([])
  })

  it('a tunnel without a domain gets a name, and asks for the same again after a restart', async () => {
    await startOnline()
    const { body } = await agent.call('POST', '/tunnels', { forwards_to: '8001' })
    expect(body.url).toMatch(/^https:\/\/free-[0-9a-f]{8}\.tunnel\.localhost$/)
    expect(body.domain).toBe(new URL(body.url).hostname)
    const [first] = service.latest.binds
    await agent.stop()
    await startOnline()
    await service.untilSessions(2)
    await service.untilBinds(1)
    expect(service.latest.binds[0]).toMatchObject({ bindId: first?.bindId, domain: null })
  })

  it('a tunnel without a domain can be created offline once the zone is known', async () => {
    await startOnline()
    await service.crash()
    await agent.untilStatus(({ session }) => session.state === 'waiting')
    const { status, body } = await agent.call('POST', '/tunnels', { forwards_to: '8001' })
    expect(status).toBe(200)
    await service.listen()
    await service.untilSessions(2)
    await service.untilBinds(1)
    expect(service.latest.binds[0]?.domain).toBe(new URL(body.url).hostname)
  })

  it('a deleted tunnel is unbound before the answer', async () => {
    await startOnline()
    await agent.call('POST', '/tunnels', device)
    await agent.call('DELETE', '/tunnels/device123')
    const [bind] = service.latest.binds
    expect(service.latest.received).toContainEqual({ type: 'unbind', bindId: bind?.bindId })
  })

  it('a tunnel that the service takes away is shown as refused', async () => {
    await startOnline()
    await agent.call('POST', '/tunnels', device)
    const { session, binds } = service.latest
    const error = { code: 300, reason: 'authtoken_revoked', message: 'revoked', retryable: false }
    session.send({ type: 'stopTunnel', bindId: binds[0]!.bindId, error })
    const { tunnels } = await agent.untilStatus((status) => status.tunnels[0]?.state === 'refused')
    expect(tunnels[0]?.error?.reason).toBe('authtoken_revoked')
  })

  it('the address that the service has chosen is the one in the list', async () => {
    service.script.bind = (bind) => ({
      ...bound(bind),
      tunnel: { tunnelId: 't', url: `https://${bind.domain}:8443`, domain: bind.domain },
    })
    await startOnline()
    expect((await agent.call('POST', '/tunnels', device)).body.url).toBe(`https://${device.domain}:8443`)
  })

  it('survive one short session after the other', async () => {
    await startOnline()
    await agent.call('POST', '/tunnels', device)
    for (let round = 1; round <= 5; round += 1) {
      service.latest.session.close({ code: 'shutdown', retryAfterMs: 100, message: '' })
      await service.untilSessions(round + 1)
      await service.untilBinds(1)
    }
    expect(service.latest.binds).toHaveLength(1)
  })
})

describe('commands', () => {
  it('stop and restart are answered first and carried out afterwards', async () => {
    for (const command of ['stop', 'restart'] as const) {
      await startOnline()
      expect(await service.command(command)).toEqual({ type: 'commandResult', id: command, error: null })
      expect(await agent.agent.told).toBe(command)
      await agent.stop()
    }
  })

  it('the same id twice is one command', async () => {
    await startOnline()
    const first = await service.command('update', 'same')
    expect(await service.command('update', 'same')).toEqual(first)
  })

  it('can be turned off, and say so in the hello and in the answer', async () => {
    await start({ AGENT_REMOTE_MANAGEMENT: 'false' })
    await agent.untilStatus(({ session }) => session.state === 'online')
    const reason = 'remote management is turned off on this agent'
    expect(service.latest.hello.capabilities).toEqual({ restart: reason, stop: reason, update: reason })
    expect((await service.command('stop')).error).toEqual({ code: 'unsupported', message: reason })
    expect((await agent.status()).session.state).toBe('online')
  })

  it('a restart is refused with the reason where it is impossible', async () => {
    const restart = 'restart is not supported on Windows'
    await agent.start({ SERVICE_CONNECT_URL: service.url }, { hindrances: { restart, update: '' } })
    await agent.untilStatus(({ session }) => session.state === 'online')
    expect((await service.command('restart')).error?.message).toBe(restart)
  })
})
