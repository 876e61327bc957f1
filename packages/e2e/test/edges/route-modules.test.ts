import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Account, type RunningService, startHttpUpstream, startService, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curl, type CurlAnswer } from '../../src/curl.ts'

type Json = Record<string, unknown>

/** How soon a change that was answered has to act. */
const changeActsMs = 100

/** Modules of routes, set through the API and seen by curl: what counts is what the upstream and the visitor got. */
describe('modules of a route', () => {
  const parts = new AsyncDisposableStack()
  let service: RunningService
  let account: Account
  let host: string
  let routesPath: string
  let backendId: string

  beforeAll(async () => {
    const upstream = parts.use(await startHttpUpstream())
    const { path: dataDir } = parts.use(await tempDir())
    service = parts.use(await startService({ dataDir, env: { SERVICE_STATIC_BACKENDS: 'any' } }))
    account = await service.createAccount()
    host = `edge.${service.zone}`
    await create('/reserved_domains', { domain: host })
    backendId = String((await create('/backends/static', { address: `127.0.0.1:${upstream.port}` }))['id'])
    const edge = await create('/edges/https', { hostports: [`${host}:443`] })
    routesPath = `/edges/https/${String(edge['id'])}/routes`
  }, 60_000)
  afterAll(() => parts.disposeAsync())

  const create = (path: string, body: Json) => account.call('POST', path, body) as Promise<Json>

  let made = 0
  /** A route of its own for one test: its modules, and visits to it. */
  async function route(modules: Json = {}) {
    made += 1
    const match = `/m${made}/`
    const rewrite = {
      value: JSON.stringify({ inbound: [{ actions: [{ type: 'url-rewrite', config: { from: match, to: '/' } }] }] }),
    }
    const body = {
      match_type: 'path_prefix',
      match,
      backend: { backend_id: backendId },
      traffic_policy: rewrite,
      ...modules,
    }
    const { id } = await create(routesPath, body)
    const path = `${routesPath}/${String(id)}`
    const visit = (target = 'request', ...options: string[]): Promise<CurlAnswer> => {
      const { edgeHttps } = service.ports
      const address = ['--resolve', `${host}:${edgeHttps}:127.0.0.1`, '--cacert', service.caFile]
      return curl(`https://${host}:${edgeHttps}${match}${target}`, ...address, ...options)
    }
    return {
      visit,
      /** What the upstream got. */
      seen: async (...options: string[]) =>
        (JSON.parse((await visit('request', ...options)).body) as { headers: Json }).headers,
      put: (name: string, module: Json) => account.call('PUT', `${path}/${name}`, module) as Promise<Json>,
      get: (name: string) => account.call('GET', `${path}/${name}`) as Promise<Json>,
      remove: (name: string) => account.call('DELETE', `${path}/${name}`),
    }
  }

  /** Asks again until the change acts; the visit that shows it must have begun in time. */
  async function soon<T>(ask: () => Promise<T>, expected: T): Promise<void> {
    const changedAt = performance.now()
    let isLate = false
    let answer: T
    do {
      isLate = performance.now() - changedAt > changeActsMs
      answer = await ask()
    } while (!isLate && !isDeepStrictEqual(answer, expected))
    expect(answer).toEqual(expected)
  }

  it('request_headers: the upstream sees the change, and after every change of the module the next one', async () => {
    const { seen, put, remove } = await route({
      request_headers: { add: { 'X-Team': 'blue ${not.an.expression}' }, remove: ['Cookie'] },
    })
    const team = async () => {
      const headers = await seen('-H', 'cookie: a=b')
      return [headers['x-team'], headers['cookie']]
    }
    expect(await team()).toEqual(['blue ${not.an.expression}', undefined])
    await put('request_headers', { add: { 'x-team': 'red' } })
    await soon(team, ['red', 'a=b'])
    await put('request_headers', { enabled: false, add: { 'x-team': 'red' } })
    await soon(team, [undefined, 'a=b'])
    await put('request_headers', { add: { 'x-team': 'green' } })
    await soon(team, ['green', 'a=b'])
    await remove('request_headers')
    await soon(team, [undefined, 'a=b'])
  })

  it('response_headers: a header is replaced, and errors of the edge stay as they are', async () => {
    const { visit, put, remove } = await route({
      response_headers: { add: { 'X-Frame-Options': 'DENY', 'content-type': 'text/x-own' }, remove: ['content-type'] },
    })
    const got = async () => {
      const { headers } = await visit()
      return [headers.get('x-frame-options'), headers.get('content-type')]
    }
    expect(await got()).toEqual(['DENY', 'text/x-own'])
    await put('response_headers', { enabled: false, add: { 'x-frame-options': 'DENY' } })
    await soon(got, [null, 'application/json'])
    await put('response_headers', { add: { 'x-frame-options': 'SAMEORIGIN' } })
    await soon(got, ['SAMEORIGIN', 'application/json'])
    await remove('response_headers')
    await soon(got, [null, 'application/json'])
  })

  it('compression: what is large and text comes compressed to who accepts it', async () => {
    const { visit, put, remove } = await route({ compression: { enabled: true } })
    const coding = async () =>
      (await visit('drip?count=400&interval_ms=0', '--compressed')).headers.get('content-encoding')
    expect(await coding()).not.toBeNull()
    expect((await visit('drip?count=400&interval_ms=0')).headers.get('content-encoding')).toBeNull()
    expect((await visit('drip?count=400&interval_ms=0', '--compressed')).body.split('\n')).toHaveLength(401)
    await put('compression', { enabled: false })
    await soon(coding, null)
    await put('compression', { enabled: true })
    await soon(async () => (await coding()) !== null, true)
    await remove('compression')
    await soon(coding, null)
  })

  it('circuit_breaker: a backend that fails is left alone, and each route counts for itself', async () => {
    const breaker = {
      volume_threshold: 3,
      error_threshold_percentage: 1,
      rolling_window: 300,
      tripped_duration: 120,
      num_buckets: 20,
    }
    const { visit, put, remove } = await route({ circuit_breaker: breaker })
    const statuses: number[] = []
    for (let i = 0; i < 4; i += 1) statuses.push((await visit('status/500')).status)
    expect(statuses).toEqual([500, 500, 500, 503])
    const refused = await visit()
    expect(refused.headers.get('service-error-code')).toBe('ERR_SERVICE_3202')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(100)
    const status = async () => (await visit()).status
    expect(await (await route({ circuit_breaker: breaker })).visit().then((answer) => answer.status)).toBe(200)
    await put('circuit_breaker', { ...breaker, enabled: false })
    await soon(status, 200)
    // The same settings find the circuit as they left it.
    await put('circuit_breaker', breaker)
    await soon(status, 503)
    await put('circuit_breaker', { ...breaker, volume_threshold: 4 })
    await soon(status, 200)
    await remove('circuit_breaker')
    expect(await status()).toBe(200)
  })

  it('user_agent_filter: an allowed name wins over a denied one, and who has no name must be allowed', async () => {
    const { visit, put, remove } = await route({
      user_agent_filter: { allow: ['(?i)google-images'], deny: ['(?i)google', '[Bb]ing'] },
    })
    const status = async (agent: string) => (await visit('request', '-A', agent)).status
    const all = async () => [
      await status('Google-Images/1'),
      await status('Googlebot'),
      await status('curl/8'),
      await status(''),
    ]
    expect(await all()).toEqual([200, 403, 200, 403])
    expect((await visit('request', '-A', 'bingbot')).headers.get('service-error-code')).toBe('ERR_SERVICE_3211')
    await put('user_agent_filter', { allow: ['^$'], deny: ['curl'] })
    await soon(all, [200, 200, 403, 200])
    await put('user_agent_filter', { enabled: false, deny: ['.'] })
    await soon(() => status('curl'), 200)
    await put('user_agent_filter', { deny: ['.'] })
    await soon(() => status('curl'), 403)
    await remove('user_agent_filter')
    await soon(() => status('curl'), 200)
  })

  it('webhook_verification: only signed calls reach the upstream, whole', async () => {
    const { visit, put, get, remove } = await route({
      webhook_verification: { provider: 'GITHUB', secret: 'k${1}ey' },
    })
    const call = (secret: string) => {
      const signature = createHmac('sha256', secret).update('{"a":1}').digest('hex')
      return visit('echo', '-H', `x-hub-signature-256: sha256=${signature}`, '-d', '{"a":1}')
    }
    const status = async (secret: string) => (await call(secret)).status
    const genuine = await call('k${1}ey')
    expect([genuine.status, genuine.body]).toEqual([200, '{"a":1}'])
    const refused = await call('other')
    expect([refused.status, refused.headers.get('service-error-code')]).toEqual([403, 'ERR_SERVICE_3204'])
    expect((await visit()).status).toBe(403)
    await put('webhook_verification', { provider: 'github', secret: 'other' })
    await soon(() => status('other'), 200)
    expect(await status('k${1}ey')).toBe(403)
    expect(await get('webhook_verification')).toEqual({ enabled: true, provider: 'github', secret: 'other' })
    await put('webhook_verification', { enabled: false, provider: 'github', secret: 'other' })
    await soon(() => status('wrong'), 200)
    await put('webhook_verification', { provider: 'github', secret: 'third' })
    await soon(() => status('wrong'), 403)
    await remove('webhook_verification')
    await soon(() => status('wrong'), 200)
  })

  it('policy: rules of the route run before those of the tunnel, and a fixed response passes them too', async () => {
    const rules = (status_code: number) => ({
      inbound: [
        { expressions: ["req.url.path.endsWith('/closed')"], actions: [{ type: 'deny', config: { status_code } }] },
      ],
      outbound: [{ actions: [{ type: 'add-headers', config: { headers: { 'x-by': '${endpoint.host}' } } }] }],
    })
    const { visit, put, remove } = await route({ policy: rules(451) })
    const closed = async () => (await visit('closed')).status
    expect(await closed()).toBe(451)
    expect((await visit()).headers.get('x-by')).toBe(host)
    await put('policy', rules(410))
    await soon(closed, 410)
    await put('policy', { ...rules(410), enabled: false })
    await soon(closed, 404)
    await remove('policy')
    await soon(closed, 404)

    const { id } = await create('/backends/http_response', { status_code: 418, body: 'short' })
    await put('policy', rules(410))
    await put('backend', { backend_id: id })
    await soon(async () => (await visit()).headers.get('x-by'), host)
    expect((await visit()).status).toBe(418)
  })

  it('restrict-ips: a rule of an IP policy that changes acts at once, and a policy in use stays', async () => {
    const policy = (await create('/ip_policies', {}))['id']
    const named = (id: unknown) =>
      JSON.stringify({ inbound: [{ actions: [{ type: 'restrict-ips', config: { ip_policies: [id] } }] }] })
    const { visit, put } = await route({ traffic_policy: undefined, policy: JSON.parse(named(policy)) as Json })
    const status = async () => (await visit()).status
    expect(await status()).toBe(403)
    const rule = await create('/ip_policy_rules', { ip_policy_id: policy, cidr: '127.0.0.0/8', action: 'allow' })
    await soon(status, 404)
    await create('/ip_policy_rules', { ip_policy_id: policy, cidr: '127.0.0.1/32', action: 'deny' })
    await soon(status, 403)
    await account.call('DELETE', `/ip_policy_rules/${String(rule['id'])}`)
    expect(await status()).toBe(403)
    await expect(account.call('DELETE', `/ip_policies/${String(policy)}`)).rejects.toThrow(/400/)
    await expect(put('traffic_policy', { value: named('ipp_2bMmXLm72GkoHS8tCdzOuTQcG5r') })).rejects.toThrow(
      'ERR_SERVICE_7007',
    )
  })

  it('traffic_policy: the text is JSON or YAML, and the reply shows it as it was sent', async () => {
    const { visit, put, get, remove } = await route()
    const yaml =
      'on_http_response:\n  - actions:\n      - type: add-headers\n        config:\n          headers:\n            x-from: "yaml"\n'
    await put('traffic_policy', { value: yaml })
    const from = async () => (await visit()).headers.get('x-from')
    await soon(from, 'yaml')
    expect(await get('traffic_policy')).toEqual({ enabled: true, value: yaml })
    await put('traffic_policy', { value: yaml.replace('"yaml"', 'other') })
    await soon(from, 'other')
    await put('traffic_policy', { enabled: false, value: yaml })
    await soon(from, null)
    await remove('traffic_policy')
    expect(await from()).toBeNull()
  })
})
