import { connect as connectHttp2 } from 'node:http2'
import { text } from 'node:stream/consumers'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'

/** `/` is open to everybody; `/admin`, `/exact` and the whole name below the wildcard are for nobody who is here. */
let world: EdgeWorld
let host: string
let guardedHost: string
let closedHost: string

beforeAll(async () => {
  world = await EdgeWorld.start()
  const open = await world.create('/backends/http_response', { body: 'open' })
  const policy = await world.create('/ip_policies', {})
  await world.create('/ip_policy_rules', { ip_policy_id: policy.id, cidr: '192.0.2.0/24', action: 'allow' })
  const backend = { backend_id: open.id }
  const guard = { ip_restriction: { ip_policy_ids: [policy.id] } }
  const publish = async (name: string, routes: readonly object[]): Promise<void> => {
    await world.create('/reserved_domains', { domain: name })
    const { id } = await world.create('/edges/https', { hostports: [`${name}:443`] })
    for (const route of routes) await world.create(`/edges/https/${id}/routes`, { backend, ...route })
  }
  const everything = { match_type: 'path_prefix', match: '/' }
  host = `shop.${world.service.zone}`
  guardedHost = `guarded.shop.${world.service.zone}`
  closedHost = `any.closed.${world.service.zone}`
  await publish(host, [
    everything,
    { match_type: 'path_prefix', match: '/admin', ...guard },
    { match_type: 'exact_path', match: '/exact', ...guard },
  ])
  await publish(`*.shop.${world.service.zone}`, [everything])
  await publish(guardedHost, [{ ...everything, ...guard }])
  await publish(`*.closed.${world.service.zone}`, [{ ...everything, ...guard }])
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/** The status of a request that is sent as written. */
async function overHttp1(target: string, authority = host): Promise<number> {
  const socket = connect(world.service.ports.edgeHttp, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`)
  return Number((await text(socket)).split(' ')[1])
}

async function overHttp2(fields: Record<string, string>): Promise<number> {
  const session = connectHttp2(`https://127.0.0.1:${world.service.ports.edgeHttps}`, {
    servername: host,
    rejectUnauthorized: false,
  })
  try {
    const stream = session.request({ ':scheme': 'https', ':authority': host, ':path': '/', ...fields })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    return Number(headers[':status'])
  } finally {
    session.destroy()
  }
}

/** 403: the guard has seen it. 400: refused before any route. */
const kept = [400, 403]

it('what the tests begin with: the open route is open, the guarded ones are not', async () => {
  expect(await overHttp1('/')).toBe(200)
  expect(await overHttp1('/', `other.shop.${world.service.zone}`)).toBe(200)
  expect(await Promise.all(['/admin', '/admin/x', '/exact'].map((path) => overHttp1(path)))).toEqual([403, 403, 403])
})

describe('path confusion: no spelling of a guarded path leads around its guard', () => {
  it.each([
    '/%61dmin/users',
    '/%2561dmin/users',
    '/x/../admin/users',
    '/x/%2e%2e/admin/users',
    '/x/%2E./admin/users',
    '/x/%252e%252e/admin/users',
    '/x/..%2fadmin/users',
    '/x%2f..%2fadmin/users',
    '/x/..%5cadmin/users',
    '/x/..\\admin/users',
    '/..;/admin/users',
    '/x/..;a=b/admin/users',
    '/;a=b/admin/users',
    '//admin/users',
    '/./admin/users',
    '/%2fadmin/users',
    '/%2e/admin/users',
    '/\\admin',
    '/ex%61ct',
    '/exact/.',
    '/exact/x/..',
    '/exact;a=b',
    '/exact%00.png',
    '/exact%3fa=b',
    '/exact%23',
  ])('%s', async (path) => {
    expect(kept).toContain(await overHttp1(path))
    expect(kept).toContain(await overHttp2({ ':path': path }))
    expect(kept).toContain(await overHttp1(`http://${host}${path}`))
  })

  it.each(['/a%20b', '/a%2fb', '/x/../y', '/files/100%25', '/;v=1/y', '//x', '/%61'])(
    '%s is nobody else’s path and is served',
    async (path) => expect(await overHttp1(path)).toBe(200),
  )
})

describe('host confusion: no spelling of a guarded name leads to an open one', () => {
  it.each([
    ['upper case', () => guardedHost.toUpperCase()],
    ['a trailing dot', () => `${guardedHost}.`],
    ['a port', () => `${guardedHost}:8443`],
    ['a port and a trailing dot', () => `${guardedHost}.:443`],
    ['an empty port', () => `${guardedHost}:`],
    ['two trailing dots', () => `${guardedHost}..`],
    ['user information', () => `${host}@${guardedHost}`],
    ['a name behind a comma', () => `${guardedHost},${host}`],
    ['a name of another script', () => guardedHost.replace('guarded', 'gu\u00e4rded')],
    ['a space', () => `${guardedHost} ${host}`],
    ['a name below a guarded wildcard', () => closedHost],
    ['a deep name below a guarded wildcard', () => `a.b.${closedHost}`],
    ['an underscore below a guarded wildcard', () => `_a.${closedHost}`],
    ['punycode below a guarded wildcard', () => `xn--4ca.${closedHost}`],
  ])('%s', async (_name, authority) => {
    expect(kept).toContain(await overHttp1('/', authority()))
  })

  it('an exact name comes before the wildcard above it, which is open', async () => {
    expect(await overHttp1('/', guardedHost)).toBe(403)
    expect(await overHttp1('/', `un${guardedHost}`)).toBe(200)
  })

  it('a target in absolute form that names another host than Host is refused', async () => {
    expect(await overHttp1(`http://${host}/`, guardedHost)).toBe(400)
    expect(await overHttp1(`http://${guardedHost}/`, host)).toBe(400)
  })

  it('an authority that differs from Host is refused over HTTP/2', async () => {
    expect(await overHttp2({ ':authority': host, host: guardedHost })).toBe(400)
    expect(await overHttp2({ ':authority': guardedHost, host })).toBe(400)
  })
})
