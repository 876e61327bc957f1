import { startHttpUpstream } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import type { CurlAnswer } from '../../src/curl.ts'
import { EdgeWorld } from '../../src/edge-world.ts'
import { eventually } from '../../src/eventually.ts'

/** A change acts within this after the API has answered; the run of one curl comes on top. */
const actsWithinMs = 100

it('an edge with three routes, built through the API alone, answers as configured, and every change acts at once', async () => {
  await using world = await EdgeWorld.start()
  await using upstream = await startHttpUpstream()
  const labels = { app: 'shop', site: 'a' }
  const agents = await Promise.all([world.startAgent(), world.startAgent()])
  for (const agent of agents) await agent.createTunnel({ forwards_to: `127.0.0.1:${upstream.port}`, labels })

  const group = await world.create('/backends/tunnel_group', { labels: { app: 'shop' } })
  const nobody = await world.create('/backends/tunnel_group', { labels: { app: 'nobody' } })
  const fixed = await world.create('/backends/http_response', {
    status_code: 418,
    headers: { 'X-Made-By': 'edge' },
    body: 'short and stout',
  })
  const failover = await world.create('/backends/failover', { backends: [nobody.id, fixed.id] })
  const { id: edge, host } = await world.createEdge('shop')
  const routes = `/edges/https/${edge}/routes`
  const route = (match_type: string, match: string, backend: { id: string }) =>
    world.create(routes, { match_type, match, backend: { backend_id: backend.id } })
  await route('path_prefix', '/', group)
  const teapot = await route('exact_path', '/teapot', fixed)
  const spare = await route('path_prefix', '/spare', failover)

  const visit = (path: string) => world.visit(host, path)
  const actsAtOnce = async (
    path: string,
    change: () => Promise<unknown>,
    isChanged: (answer: CurlAnswer) => boolean,
  ) => {
    await change()
    const changedAt = performance.now()
    let askedAt = changedAt
    for (let answer = await visit(path); !isChanged(answer); answer = await visit(path)) {
      askedAt = performance.now()
      expect(askedAt - changedAt).toBeLessThan(actsWithinMs)
    }
  }

  expect(await visit('/')).toMatchObject({ status: 200, version: 'HTTP/2', body: 'Hello, World!' })
  expect(JSON.parse((await visit('/request')).body)).toMatchObject({ headers: { 'x-forwarded-host': host } })
  const short = await visit('/teapot')
  expect(short).toMatchObject({ status: 418, body: 'short and stout' })
  expect(short.headers.get('x-made-by')).toBe('edge')
  expect((await visit('/teapots')).status).toBe(404)
  expect(await visit('/spare/part')).toMatchObject({ status: 418, body: 'short and stout' })

  const { tunnels } = (await world.account.call('GET', `/backends/tunnel_group/${group.id}`)) as { tunnels: unknown[] }
  expect(tunnels.length).toBe(2)

  const policy = await world.create('/ip_policies', {})
  await world.create('/ip_policy_rules', { ip_policy_id: policy.id, cidr: '192.0.2.0/24', action: 'allow' })
  const restriction = `${routes}/${teapot.id}/ip_restriction`
  const restrict = (body: object) => () => world.account.call('PUT', restriction, body)
  const isRefused = ({ status, body }: CurlAnswer) => status === 403 && body.includes('ERR_SERVICE_3205')
  const isTeapot = ({ status }: CurlAnswer) => status === 418
  await actsAtOnce('/teapot', restrict({ ip_policy_ids: [policy.id] }), isRefused)
  expect((await visit('/')).status).toBe(200)
  const loopback = { ip_policy_id: policy.id, cidr: '127.0.0.0/8', action: 'allow' }
  let rule = { id: '' }
  await actsAtOnce('/teapot', async () => (rule = await world.create('/ip_policy_rules', loopback)), isTeapot)
  await actsAtOnce('/teapot', () => world.account.call('DELETE', `/ip_policy_rules/${rule.id}`), isRefused)
  await actsAtOnce('/teapot', restrict({ enabled: false, ip_policy_ids: [policy.id] }), isTeapot)
  await actsAtOnce('/teapot', restrict({ ip_policy_ids: [policy.id] }), isRefused)
  await actsAtOnce('/teapot', () => world.account.call('DELETE', restriction), isTeapot)

  const patch = (path: string, body: object) => () => world.account.call('PATCH', path, body)
  await actsAtOnce(
    '/teapot',
    patch(`/backends/http_response/${fixed.id}`, { body: 'tall' }),
    ({ body }) => body === 'tall',
  )
  await actsAtOnce(
    '/spare/',
    patch(`/backends/failover/${failover.id}`, { backends: [group.id, fixed.id] }),
    ({ status }) => status === 404,
  )
  await actsAtOnce('/spare', patch(`/backends/tunnel_group/${group.id}`, { labels: { app: 'gone' } }), isTeapot)
  await actsAtOnce(
    '/spare',
    () => world.account.call('DELETE', `${routes}/${spare.id}`),
    ({ status }) => status === 503,
  )
  await actsAtOnce('/', patch(`/backends/tunnel_group/${group.id}`, { labels }), ({ body }) => body === 'Hello, World!')
})

interface Listed {
  readonly tunnels: readonly { id: string; labels?: object; tunnel_session: { id: string } }[]
  readonly tunnel_sessions: readonly { id: string }[]
  readonly endpoints: readonly { type: string; url: string }[]
}

it('a tunnel with labels is listed while it is online, comes back with its agent, and goes with it', async () => {
  await using world = await EdgeWorld.start()
  const labels = { app: 'shop' }
  const { id } = await world.create('/backends/tunnel_group', { labels })
  const list = async () => {
    const [tunnels, sessions, group, endpoints] = await Promise.all([
      world.account.call('GET', '/tunnels'),
      world.account.call('GET', '/tunnel_sessions'),
      world.account.call('GET', `/backends/tunnel_group/${id}`),
      world.account.call('GET', '/endpoints'),
    ])
    const ids = (items: readonly { id: string }[]) => items.map((item) => item.id)
    return {
      tunnels: (tunnels as Listed).tunnels,
      sessions: ids((sessions as Listed).tunnel_sessions),
      members: ids((group as Listed).tunnels),
      endpoints: (endpoints as Listed).endpoints.map(({ type, url }) => `${type} ${url}`).toSorted(),
    }
  }
  const [kept, killed] = await Promise.all([world.startAgent(), world.startAgent()])
  await kept.createTunnel({ forwards_to: '127.0.0.1:1', labels: { ...labels, site: 'a' } })
  await killed.createTunnel({ forwards_to: '127.0.0.1:1', labels })
  const both = await list()
  expect(both.sessions.length).toBe(2)
  expect(both.tunnels.map((tunnel) => tunnel.labels)).toEqual(
    expect.arrayContaining([labels, { ...labels, site: 'a' }]),
  )
  expect(both.members.toSorted()).toEqual(both.tunnels.map((tunnel) => tunnel.id).toSorted())
  expect(both.endpoints).toEqual([])

  const { host } = await world.createEdge('shop')
  const domain = `own.${world.service.zone}`
  await killed.createTunnel({ forwards_to: '127.0.0.1:1', domain })
  expect((await list()).endpoints).toEqual([`edge https://${host}`, `ephemeral https://${domain}`])

  process.kill(killed.process.pid, 'SIGKILL')
  await eventually(async () => expect((await list()).sessions.length).toBe(1))
  const one = await list()
  expect(one.endpoints).toEqual([`edge https://${host}`])
  expect(one.members).toEqual(one.tunnels.map((tunnel) => tunnel.id))
  expect(one.tunnels).toMatchObject([{ labels: { ...labels, site: 'a' } }])

  await world.account.call('POST', `/tunnel_sessions/${one.sessions[0]}/restart`, {})
  await eventually(async () => {
    const { sessions, tunnels, members } = await list()
    expect(sessions.length).toBe(1)
    expect(sessions).not.toEqual(one.sessions)
    expect(tunnels).toMatchObject([{ labels: { ...labels, site: 'a' }, tunnel_session: { id: sessions[0] } }])
    expect(members).toEqual([tunnels[0]?.id])
  }, 20_000)
})
