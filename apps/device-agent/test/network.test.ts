import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentFixture } from './agent-fixture.ts'
import { type ConnectProxy, startConnectProxy } from './connect-proxy.ts'
import { FakeService } from './fake-service.ts'
import { selfSigned } from './self-signed.ts'

let agent: AgentFixture
const resources: AsyncDisposable[] = []

beforeEach(async () => {
  agent = await AgentFixture.create()
})

afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  for (const resource of resources.splice(0)) await resource[Symbol.asyncDispose]()
})

async function secureService(days: { from: number; to: number }): Promise<{ service: FakeService; caFile: string }> {
  const { key, cert } = await selfSigned('connect.example.com', days)
  const service = await FakeService.start({ key, cert })
  resources.push(service)
  const caFile = join(agent.stateDir, 'ca.pem')
  await writeFile(caFile, cert)
  return { service, caFile }
}

async function startProxy(port: number, credentials: string): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(port, credentials)
  resources.push(proxy)
  return proxy
}

const isOnline = ({ session }: { session: { state: string } }) => session.state === 'online'
const isWaiting = ({ session }: { session: { state: string } }) => session.state === 'waiting'

describe('TLS', () => {
  it('a service whose authority is in the CA file is trusted, another one never', async () => {
    const { service, caFile } = await secureService({ from: -1, to: 1 })
    const target = { SERVICE_CONNECT_URL: `wss://localhost:${service.port}` }
    await agent.start(target)
    expect((await agent.untilStatus(isWaiting)).session.last_error?.reason).toBe('tls_failed')
    await agent.stop()
    await agent.start({ ...target, SERVICE_CONNECT_CA_FILE: caFile })
    await agent.untilStatus(isOnline)
  })

  it('a certificate that is not valid yet means a wrong clock, and nothing is sent', async () => {
    const { service, caFile } = await secureService({ from: 1, to: 2 })
    await agent.start({ SERVICE_CONNECT_URL: `wss://localhost:${service.port}`, SERVICE_CONNECT_CA_FILE: caFile })
    const { session } = await agent.untilStatus(isWaiting)
    expect(session).toMatchObject({ last_error: { reason: 'clock_suspect' }, is_clock_suspect: true })
    expect(service.sessions).toEqual([])
  })

  it('a CA file that cannot be used is named, and looked at again', async () => {
    const { service, caFile } = await secureService({ from: -1, to: 1 })
    const late = join(agent.stateDir, 'late.pem')
    await agent.start({ SERVICE_CONNECT_URL: `wss://localhost:${service.port}`, SERVICE_CONNECT_CA_FILE: late })
    expect((await agent.untilStatus(isWaiting)).session.last_error?.reason).toBe('ca_file_unusable')
    await writeFile(late, await readFile(caFile))
    await agent.untilStatus(isOnline)
  })
})

describe('a proxy', () => {
  it('carries the session by CONNECT with its credentials, which no log and no status shows', async () => {
    const { service, caFile } = await secureService({ from: -1, to: 1 })
    const proxy = await startProxy(service.port, 'user:proxy-password')
    await agent.start({
      SERVICE_CONNECT_URL: 'wss://connect.example.com',
      SERVICE_CONNECT_CA_FILE: caFile,
      HTTPS_PROXY: proxy.url,
    })
    const status = await agent.untilStatus(isOnline)
    expect(proxy.targets).toEqual(['connect.example.com:443'])
    expect(agent.logLines.join('') + JSON.stringify(status)).not.toContain('proxy-password')
  })

  it('that wants other credentials is named', async () => {
    const { service, caFile } = await secureService({ from: -1, to: 1 })
    const proxy = await startProxy(service.port, 'user:password')
    const wrong = proxy.url.replace('password', 'wrong')
    await agent.start({
      SERVICE_CONNECT_URL: 'wss://connect.example.com',
      SERVICE_CONNECT_CA_FILE: caFile,
      HTTPS_PROXY: wrong,
    })
    expect((await agent.untilStatus(isWaiting)).session.last_error?.reason).toBe('proxy_authentication_failed')
    expect(agent.logLines.join('')).not.toContain('wrong@')
  })

  it('is not asked for names in NO_PROXY', async () => {
    const { service, caFile } = await secureService({ from: -1, to: 1 })
    const proxy = await startProxy(service.port, 'user:password')
    await agent.start({
      SERVICE_CONNECT_URL: 'wss://no-such-host.invalid',
      SERVICE_CONNECT_CA_FILE: caFile,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: 'other.example.com,.invalid',
    })
    expect((await agent.untilStatus(isWaiting)).session.last_error?.reason).toBe('dns_failed')
    expect(proxy.targets).toEqual([])
  })
})

it.each([
  [302, 'a captive portal'],
  [200, 'a captive portal'],
  [503, 'a busy service'],
])(
  'an answer %i of %s is not taken for a session, and the service is found once it answers itself',
  async (statusCode) => {
    const service = await FakeService.start()
    resources.push(service)
    await service.crash()
    const portal = createServer((_request, response) =>
      response.writeHead(statusCode, { location: 'http://portal/', connection: 'close' }).end('<html>'),
    )
    await once(portal.listen(service.port, '127.0.0.1'), 'listening')
    await agent.start({ SERVICE_CONNECT_URL: service.url })
    const { session } = await agent.untilStatus(isWaiting)
    expect(session.last_error).toMatchObject({
      reason: 'unexpected_answer',
      message: expect.stringContaining(String(statusCode)),
    })
    portal.closeAllConnections()
    portal.close()
    await service.listen()
    await agent.untilStatus(isOnline)
  },
)

it('a portal with a certificate of its own hears no token, and the service is found once it is gone', async () => {
  const { key, cert } = await selfSigned('localhost', { from: -1, to: 1 })
  const service = await FakeService.start(await selfSigned('portal.example.com', { from: -1, to: 1 }))
  resources.push(service)
  const caFile = join(agent.stateDir, 'ca.pem')
  await writeFile(caFile, cert)
  await agent.start({ SERVICE_CONNECT_URL: `wss://localhost:${service.port}`, SERVICE_CONNECT_CA_FILE: caFile })
  expect((await agent.untilStatus(isWaiting)).session.last_error?.reason).toBe('tls_failed')
  expect(service.sessions).toEqual([])
  await service.crash()
  await service.listen({ key, cert })
  await agent.untilStatus(isOnline)
})

it('the authtoken is in no log line, status, metric or file of the state directory', async () => {
  const service = await FakeService.start()
  resources.push(service)
  await agent.start({ SERVICE_CONNECT_URL: service.url })
  await agent.untilStatus(isOnline)
  await service.crash()
  await agent.untilStatus(isWaiting)
  const metrics = await (await fetch(`${agent.agent.apiUrl}/metrics`)).text()
  const identity = await readFile(join(agent.stateDir, 'identity.json'), 'utf8')
  const everything = [...agent.logLines, JSON.stringify(await agent.status()), metrics, identity].join('\n')
  expect(metrics).toContain('agent_sessions_total 1')
  expect(everything).not.toContain('secret-token')
})
