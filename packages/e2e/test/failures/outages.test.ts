import { once } from 'node:events'
import { connect } from 'node:net'
import { fromSource, startAgent, startProcess, startService, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { curl } from '../../src/curl.ts'
import { eventually } from '../../src/eventually.ts'
import { Stack } from '../../src/stack.ts'
import { isThorough } from '../../src/thorough.ts'

const VISITOR_WAIT_MS = 5000

let stack: Stack
let host: string

beforeAll(async () => {
  stack = await Stack.start()
  host = await stack.publish('outages')
})
afterAll(() => stack[Symbol.asyncDispose]())

const expectServed = (): Promise<void> =>
  eventually(async () => expect((await curl(stack.httpUrl(host))).body).toBe('Hello, World!'), 35_000)

it('gives the visitor of a killed agent a clear error within 5 seconds, and heals when the agent is back', async () => {
  await expectServed()
  const waiting = timed(curl(stack.httpUrl(host, '/never'), '-H', 'Accept: application/json'))
  await expect.poll(() => stack.upstream.openRequestCount).toBe(1)
  stack.agent.process.signal('SIGKILL')
  const { answer, ms } = await waiting
  expect(ms).toBeLessThan(VISITOR_WAIT_MS + 1000)
  expect(answer.status).toBeGreaterThanOrEqual(500)
  expect(JSON.parse(answer.body)).toMatchObject({ error_code: expect.stringMatching(/^ERR_SERVICE_\d+$/) })
  const offline = await curl(stack.httpUrl(host), '-H', 'Accept: application/json')
  expect(offline.status).toBe(503)
  await stack.restartAgent()
  await expectServed()
})

it('loses the visitor of a killed service at once, and heals when the service is back', async () => {
  await expectServed()
  const visitor = connect(stack.service.ports.edgeHttp, '127.0.0.1')
  visitor.on('error', () => {})
  visitor.write(`GET /never HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  await expect.poll(() => stack.upstream.openRequestCount).toBe(1)
  stack.service.process.signal('SIGKILL')
  await once(visitor, 'close')
  await expect.poll(() => stack.upstream.openRequestCount, { timeout: VISITOR_WAIT_MS }).toBe(0)
  await stack.restartService()
  await expectServed()
})

it('says that the agent is offline, also after a restart of the service, for as long as the agent is away', async () => {
  await expectServed()
  const reserved = `reserved.${stack.service.zone}`
  await stack.account.call('POST', '/reserved_domains', { domain: reserved })
  const deleted = await stack.publish('deleted-name')
  await curl(`${stack.agent.apiUrl}/tunnels/${deleted}`, '-X', 'DELETE')
  await eventually(async () => expect(await answerAt(deleted)).toEqual([404, 'ERR_SERVICE_3200']))
  stack.agent.process.signal('SIGKILL')
  await eventually(async () => expect(await answerAt(host)).toEqual([503, 'ERR_SERVICE_3201']))
  await stack.restartService()
  expect(await answerAt(host)).toEqual([503, 'ERR_SERVICE_3201'])
  expect(await answerAt(reserved)).toEqual([503, 'ERR_SERVICE_3201'])
  expect(await answerAt(deleted)).toEqual([404, 'ERR_SERVICE_3200'])
  await stack.restartAgent()
  await expectServed()
})

it('answers for a killed upstream at once, and serves it again when it is back', async () => {
  const { command, args } = fromSource('packages/e2e/src/upstream-process.ts')
  const first = await startProcess(command, [...args, '0'])
  const [, port = ''] = await first.waitForOutput(/^port (\d+)$/m)
  const ownHost = await stack.publish('killed-upstream', Number(port))
  await eventually(async () => expect((await curl(stack.httpUrl(ownHost))).status).toBe(200))
  const waiting = timed(curl(stack.httpUrl(ownHost, '/never')))
  await first.waitForOutput(/request \/never/)
  first.signal('SIGKILL')
  const { answer, ms } = await waiting
  expect(answer.status).toBe(502)
  expect(ms).toBeLessThan(VISITOR_WAIT_MS)
  const refused = await curl(stack.httpUrl(ownHost), '-H', 'Accept: application/json')
  expect(refused.status).toBe(502)
  expect(JSON.parse(refused.body)).toMatchObject({ error_code: 'ERR_SERVICE_8012' })
  await using _second = await startProcess(command, [...args, port])
  await eventually(async () => expect((await curl(stack.httpUrl(ownHost))).body).toBe('Hello, World!'))
})

it.runIf(isThorough)('loses no stored tunnel when the agent is killed again and again while it stores', async () => {
  const rounds = process.env['TEST_LONG'] ? 60 : 3
  const answered: string[] = []
  for (let round = 0; round < rounds; round++) {
    const creating = (async () => {
      for (let n = 0; ; n++) answered.push(await stack.publish(`kill-${round}-${n}`))
    })().catch(() => undefined)
    await expect.poll(() => answered.length, { timeout: 20_000 }).toBeGreaterThan(round * 3)
    stack.agent.process.signal('SIGKILL')
    await creating
    await stack.restartAgent()
  }
  const records = JSON.parse((await curl(`${stack.agent.apiUrl}/tunnels`)).body) as { domain: string }[]
  const stored = new Set(records.map(({ domain }) => domain))
  expect(answered.filter((domain) => !stored.has(domain))).toEqual([])
})

it.runIf(isThorough)(
  'starts without any network: the local API works, and tunnels come online when the service appears',
  async () => {
    await using dir = await tempDir()
    const { ports } = stack.service
    await stack.service[Symbol.asyncDispose]()
    const { token, id } = { token: stack.agentSetup.authtoken, id: 'offline' }
    await using agent = await startAgent({ ...stack.agentSetup, authtoken: token, stateDir: `${dir.path}/${id}` })
    const record = await agent.createTunnel({
      forwards_to: `127.0.0.1:${stack.upstream.port}`,
      domain: 'offline.tunnel.localhost',
    })
    expect(record.url).toContain('offline.tunnel.localhost')
    expect((await curl(`${agent.apiUrl}/healthz`)).status).toBe(200)
    expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(503)
    stack.service = await startService({ dataDir: stack.serviceDataDir, ports })
    await eventually(
      async () => expect((await curl(stack.httpUrl('offline.tunnel.localhost'))).body).toBe('Hello, World!'),
      35_000,
    )
    expect((await curl(`${agent.apiUrl}/readyz`)).status).toBe(200)
  },
)

/** The status, and the code on the page. */
async function answerAt(name: string): Promise<[number, unknown]> {
  const { status, body } = await curl(stack.httpUrl(name), '-H', 'Accept: application/json')
  return [status, (JSON.parse(body) as { error_code: unknown }).error_code]
}

async function timed<T>(work: Promise<T>): Promise<{ answer: T; ms: number }> {
  const startedAt = performance.now()
  return { answer: await work, ms: performance.now() - startedAt }
}
