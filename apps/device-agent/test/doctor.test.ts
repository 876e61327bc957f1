import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../src/config.ts'
import { doctor } from '../src/doctor/doctor.ts'
import { AgentFixture } from './agent-fixture.ts'
import { startConnectProxy } from './connect-proxy.ts'
import { FakeService, refuse, welcome } from './fake-service.ts'
import { selfSigned } from './self-signed.ts'

async function examine(env: Record<string, string>): Promise<{ isWell: boolean; lines: string[] }> {
  await using state = await tempDir()
  const lines: string[] = []
  const config = readConfig({
    SERVICE_AUTHTOKEN: 'cr_x_secret',
    AGENT_STATE_DIR: state.path,
    AGENT_API_LISTEN: '127.0.0.1:1',
    ...env,
  })
  const isWell = await doctor(config, (line) => lines.push(line))
  expect(lines.join('\n')).not.toContain('cr_x_secret')
  return { isWell, lines }
}

it('the doctor goes all the way to a welcome, without taking the place of a running agent', async () => {
  await using service = await FakeService.start()
  const { isWell, lines } = await examine({ SERVICE_CONNECT_URL: service.url })
  expect(isWell).toBe(true)
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'ok    authtoken',
    'ok    DNS',
    'ok    TCP',
    'ok    TLS and WebSocket',
    'ok    hello',
    'ok    clock',
    'ok    upstreams',
    'ok    running agent',
  ])
  expect(service.latest.hello.resume).toBeNull()
})

/** The step that failed, and what to do. */
async function firstFailure(env: Record<string, string>, stateDir?: string): Promise<string[]> {
  const { isWell, lines } = await examine({ ...env, ...(stateDir !== undefined && { AGENT_STATE_DIR: stateDir }) })
  expect(isWell).toBe(false)
  return lines.slice(-2).map((line) => line.trim())
}

const failing = (step: string, fix: string): unknown[] => [
  expect.stringContaining(`FAIL  ${step}`),
  expect.stringContaining(fix),
]

describe('the doctor stops at what fails, and says what to do, for', () => {
  it('a name that nobody knows, as without a network', async () => {
    expect(await firstFailure({ SERVICE_CONNECT_URL: 'wss://no-such-host.invalid' })).toEqual(
      failing('DNS', 'this device has a network'),
    )
  })

  it('nobody who listens', async () => {
    expect(await firstFailure({ SERVICE_CONNECT_URL: 'ws://127.0.0.1:1' })).toEqual(
      failing('TCP: ECONNREFUSED', 'Nobody listens at 127.0.0.1 port 1: start it, or correct SERVICE_CONNECT_URL'),
    )
  })

  it('a proxy that is not there, and one that wants other credentials', async () => {
    const env = { SERVICE_CONNECT_URL: 'wss://connect.example.com', HTTPS_PROXY: 'http://127.0.0.1:1' }
    expect(await firstFailure(env)).toEqual(failing('TCP: ECONNREFUSED', 'correct HTTPS_PROXY'))
    await using proxy = await startConnectProxy(1, 'user:password')
    const wrong = proxy.url.replace('password', 'wrong')
    expect(await firstFailure({ ...env, HTTPS_PROXY: wrong })).toEqual(
      failing('TLS and WebSocket', 'user and password in HTTPS_PROXY'),
    )
  })

  it.each([
    ['an authority that is not trusted', -1, false, 'SERVICE_CONNECT_CA_FILE'],
    ['a certificate that is not valid yet', 1, true, 'set its clock'],
  ])('%s', async (_, from, isTrusted, fix) => {
    await using dir = await tempDir()
    const { key, cert } = await selfSigned('connect.example.com', { from, to: 2 })
    await using service = await FakeService.start({ key, cert })
    const caFile = join(dir.path, 'ca.pem')
    await writeFile(caFile, cert)
    const env = { SERVICE_CONNECT_URL: `wss://localhost:${service.port}` }
    expect(await firstFailure(isTrusted ? { ...env, SERVICE_CONNECT_CA_FILE: caFile } : env)).toEqual(
      failing('TLS and WebSocket', fix),
    )
    expect(service.sessions).toEqual([])
  })

  it('something else that answers, such as a captive portal', async () => {
    const portal = createServer((_request, response) => response.writeHead(302, { connection: 'close' }).end())
    await once(portal.listen(0, '127.0.0.1'), 'listening')
    const { port } = portal.address() as AddressInfo
    expect(await firstFailure({ SERVICE_CONNECT_URL: `ws://127.0.0.1:${port}` })).toEqual(
      failing('TLS and WebSocket', 'captive portal'),
    )
    portal.close()
  })

  it('an authtoken that is refused, and a clock that is wrong', async () => {
    await using service = await FakeService.start()
    const env = { SERVICE_CONNECT_URL: service.url }
    service.script.greet = () => refuse('authtoken_revoked')
    expect(await firstFailure(env)).toEqual(failing('hello: refused: authtoken_revoked', 'Create a new authtoken'))
    service.script.greet = (hello, turn) => ({ ...welcome(hello, turn), serverTime: '1970-01-01T00:00:00Z' })
    expect(await firstFailure(env)).toEqual(failing('clock', 'set its clock'))
  })

  it('programs that do not listen, each named with its tunnel, without touching the store', async () => {
    await using service = await FakeService.start()
    const upstream = createServer()
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    await using agent = await AgentFixture.create()
    await agent.start()
    await agent.call('POST', '/tunnels', { forwards_to: '127.0.0.1:1', domain: 'a.example.com' })
    await agent.call('POST', '/tunnels', {
      forwards_to: `localhost:${(upstream.address() as AddressInfo).port}`,
      domain: 'b.example.com',
    })
    const before = await readdir(agent.stateDir)
    const failure = await firstFailure({ SERVICE_CONNECT_URL: service.url }, agent.stateDir)
    expect(failure).toEqual(
      failing('upstreams: 127.0.0.1:1 of https://a.example.com: ECONNREFUSED', 'Start the program'),
    )
    expect(failure[0]).not.toContain('b.example.com')
    expect(await readdir(agent.stateDir)).toEqual(before)
    upstream.close()
  })

  it('an agent that runs and cannot read what the one who asks can', async () => {
    await using service = await FakeService.start()
    await using agent = await AgentFixture.create()
    await agent.start({ SERVICE_CONNECT_URL: service.url, SERVICE_CONNECT_CA_FILE: join(agent.stateDir, 'none.pem') })
    await agent.untilStatus(({ session }) => session.state === 'waiting')
    const { host } = new URL(agent.agent.apiUrl)
    expect(await firstFailure({ SERVICE_CONNECT_URL: service.url, AGENT_API_LISTEN: host })).toEqual(
      failing('running agent: the CA file cannot be read: ENOENT', 'let its user read the files'),
    )
  })
})
