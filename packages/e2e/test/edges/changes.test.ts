import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EdgeWorld } from '../../src/edge-world.ts'

/** From the API's answer to the beginning of the first visit that sees the change. */
const actsWithinMs = 100

let world: EdgeWorld
const visitors = new Agent({ keepAlive: true })
beforeAll(async () => {
  world = await EdgeWorld.start()
}, 60_000)
afterAll(async () => {
  visitors.destroy()
  await world[Symbol.asyncDispose]()
})

/** Status and body of a visit over a connection that stays open, so that little else is measured. */
function visit(host: string, path = '/'): Promise<string> {
  return new Promise((resolve, reject) => {
    const place = { host: '127.0.0.1', port: world.service.ports.edgeHttp, path, headers: { host }, agent: visitors }
    const outgoing = request(place, (response) => {
      const asShown = (body: string): string => `${response.statusCode} ${/ERR_\w+/.exec(body)?.[0] ?? body}`
      text(response).then((body) => resolve(asShown(body)), reject)
    })
    outgoing.on('error', reject).end()
  })
}

/** A change, what a visit shows from then on, and the path that is visited. */
type Step = readonly [change: () => Promise<unknown>, seen: string | RegExp, path?: string]

/** An edge with a route to a fixed response for everything. */
async function publish(label: string) {
  const backend = await world.create('/backends/http_response', { body: label })
  const { id, host } = await world.createEdge(label)
  const edgePath = `/edges/https/${id}`
  const everything = { match_type: 'path_prefix', match: '/', backend: { backend_id: backend.id } }
  const route = await world.create(`${edgePath}/routes`, everything)
  const call = (method: string, path: string, body?: object) => () => world.account.call(method, path, body)
  return { backend, host, edgePath, routePath: `${edgePath}/routes/${route.id}`, call }
}

/** Makes one change after the other; milliseconds until the last of them to act did so. */
async function slowestOf(host: string, steps: readonly Step[]): Promise<number> {
  let slowestMs = 0
  for (const [change, seen, path] of steps) {
    await change()
    slowestMs = Math.max(slowestMs, await untilSeen(host, seen, path))
  }
  return slowestMs
}

async function untilSeen(host: string, seen: string | RegExp, path?: string): Promise<number> {
  const changedAt = performance.now()
  let waitedMs = 0
  for (let answer = await visit(host, path); !answer.match(seen); answer = await visit(host, path)) {
    waitedMs = performance.now() - changedAt
    if (waitedMs > 1000) throw new Error(`${answer} in place of ${String(seen)}`)
  }
  return waitedMs
}

it('a change of a route acts within 100 ms: its path, its backend, a new one, its end', async () => {
  const { edgePath, routePath, host, call } = await publish('routes')
  const other = await world.create('/backends/http_response', { body: 'other' })
  const backend = { backend_id: other.id }
  const spare = { match_type: 'path_prefix', match: '/spare', backend }
  const steps: Step[] = [
    [call('PATCH', routePath, { match: '/moved' }), /^404 /],
    [call('PATCH', routePath, { match_type: 'exact_path', match: '/' }), '200 routes'],
    [call('PATCH', routePath, { backend }), '200 other'],
    [call('PUT', `${routePath}/backend`, { enabled: false, ...backend }), /^404 |^50\d /],
    [call('PUT', `${routePath}/backend`, backend), '200 other'],
    [call('POST', `${edgePath}/routes`, spare), '200 other', '/spare/part'],
    [call('DELETE', routePath), /^404 /],
  ]
  expect(await slowestOf(host, steps)).toBeLessThan(actsWithinMs)
})

it('a change of a backend acts within 100 ms, also of one behind another', async () => {
  const { backend, routePath, host, call } = await publish('backends')
  const spare = await world.create('/backends/http_response', { body: 'spare' })
  const choice = await world.create('/backends/failover', { backends: [spare.id, backend.id] })
  const steps: Step[] = [
    [call('PATCH', `/backends/http_response/${backend.id}`, { body: 'new' }), '200 new'],
    [call('PATCH', `/backends/http_response/${backend.id}`, { status_code: 410 }), '410 new'],
    [call('PUT', `${routePath}/backend`, { backend_id: choice.id }), '200 spare'],
    [call('PATCH', `/backends/http_response/${spare.id}`, { body: 'better' }), '200 better'],
    [call('PATCH', `/backends/failover/${choice.id}`, { backends: [backend.id] }), '410 new'],
  ]
  expect(await slowestOf(host, steps)).toBeLessThan(actsWithinMs)
})

it('a change of an ip_restriction, a policy of it or a rule acts within 100 ms', async () => {
  const { routePath, host, call } = await publish('addresses')
  const [inside, outside] = [await world.create('/ip_policies', {}), await world.create('/ip_policies', {})]
  const rule = (ip_policy_id: string, cidr: string, action = 'allow') => ({ ip_policy_id, cidr, action })
  const first = await world.create('/ip_policy_rules', rule(outside.id, '192.0.2.0/24'))
  await world.create('/ip_policy_rules', rule(inside.id, '127.0.0.1/32'))
  const path = `${routePath}/ip_restriction`
  const refused = /^403 ERR_SERVICE_3205$/
  const steps: Step[] = [
    [call('PUT', path, { ip_policy_ids: [outside.id] }), refused],
    [call('PATCH', `/ip_policy_rules/${first.id}`, { cidr: '127.0.0.0/8' }), '200 addresses'],
    [call('DELETE', `/ip_policy_rules/${first.id}`), refused],
    [call('PUT', path, { ip_policy_ids: [outside.id, inside.id] }), '200 addresses'],
    [call('POST', '/ip_policy_rules', rule(inside.id, '127.0.0.0/8', 'deny')), refused],
    [call('PUT', path, { enabled: false, ip_policy_ids: [inside.id] }), '200 addresses'],
    [call('PUT', path, { ip_policy_ids: [inside.id] }), refused],
    [call('DELETE', path), '200 addresses'],
  ]
  expect(await slowestOf(host, steps)).toBeLessThan(actsWithinMs)
})

it.each([
  ['policy', (value: object) => value],
  ['traffic_policy', (value: object) => ({ value: JSON.stringify(value) })],
] as const)('a change of the rules of a %s and of its enabled flag acts within 100 ms', async (name, written) => {
  const label = name.replace('_', '-')
  const { routePath, host, call } = await publish(label)
  const denied = (status_code: number) =>
    written({ inbound: [{ actions: [{ type: 'deny', config: { status_code } }] }] })
  const path = `${routePath}/${name}`
  const steps: Step[] = [
    [call('PUT', path, denied(451)), /^451 /],
    [call('PUT', path, denied(423)), /^423 /],
    [call('PUT', path, { enabled: false, ...denied(423) }), `200 ${label}`],
    [call('PUT', path, { enabled: true, ...denied(423) }), /^423 /],
    [call('DELETE', path), `200 ${label}`],
  ]
  expect(await slowestOf(host, steps)).toBeLessThan(actsWithinMs)
})

it('the enabled flag of a user_agent_filter acts within 100 ms', async () => {
  const { routePath, host, call } = await publish('agents')
  const path = `${routePath}/user_agent_filter`
  const steps: Step[] = [
    [call('PUT', path, { allow: ['curl.*'] }), /^403 /],
    [call('PUT', path, { enabled: false, allow: ['curl.*'] }), '200 agents'],
  ]
  expect(await slowestOf(host, steps)).toBeLessThan(actsWithinMs)
})

it('other names of an edge, and its end, act within 100 ms', async () => {
  const { host, edgePath, call } = await publish('names')
  const domain = `second.${world.service.zone}`
  await world.create('/reserved_domains', { domain })
  // The name is still reserved.
  const unserved = /^503 ERR_SERVICE_3201$/
  const leave: Step = [call('PATCH', edgePath, { hostports: [`${domain}:443`] }), unserved]
  const comeBack: Step = [call('PATCH', edgePath, { hostports: [`${host}:443`] }), '200 names']
  const end: Step = [call('DELETE', edgePath), unserved]
  expect(await slowestOf(host, [leave])).toBeLessThan(actsWithinMs)
  expect(await visit(domain)).toBe('200 names')
  expect(await slowestOf(host, [comeBack, end])).toBeLessThan(actsWithinMs)
})
