import { mintId } from '@tunnel/models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { OnlineTunnel } from '../../src/resources/tunnel-sessions/online.ts'
import { type Client, type TestApi, type WireBody, startTestApi } from './api-harness.ts'

let api: TestApi
let client: Client
let tunnels: OnlineTunnel[]
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
  tunnels = [tunnel('https://app.example.dev'), tunnel(null)]
  api.management.connectSessions({
    sessions: () => [],
    tunnels: (accountId) => tunnels.filter((online) => online.accountId === accountId),
    command: () => Promise.reject(new Error('no session')),
  })
})
afterAll(() => api[Symbol.asyncDispose]())

function tunnel(publicUrl: string | null): OnlineTunnel {
  return {
    id: mintId('tn', Date.now()),
    accountId: client.accountId,
    sessionId: mintId('ts', Date.now()),
    region: 'local',
    startedAtMs: Date.now(),
    forwardsTo: 'http://localhost:80',
    metadata: '',
    publicUrl,
    labels: {},
  }
}

async function list(query = '', caller = client): Promise<{ items: WireBody[]; next: string | null }> {
  const { body } = await caller.send('GET', `/endpoints${query}`)
  return { items: body['endpoints'] as WireBody[], next: body.next_page_uri }
}

it('lists the addresses of tunnels and of edges, each with what it belongs to', async () => {
  const domain = await client.create('/reserved_domains', { domain: '*.example.dev' })
  const addr = await client.create('/reserved_addrs')
  const https = await client.create('/edges/https', { hostports: ['a.example.dev:443', 'b.example.dev:443'] })
  const tcp = await client.create('/edges/tcp', { hostports: [addr['addr']] })
  const tls = await client.create('/edges/tls', { hostports: ['c.example.dev:443'] })
  await client.create('/edges/https')

  const { items, next } = await list()
  expect(next).toBeNull()
  const shown = items.map(({ type, url, hostport, edge, domain: reserved, tcp_addr: address }) => {
    const ids = [edge, reserved, address].map((ref) => (ref as WireBody | undefined)?.id)
    return [type, url, hostport, ...ids]
  })
  expect(new Set(shown)).toEqual(
    new Set([
      ['ephemeral', 'https://app.example.dev', 'app.example.dev:443', undefined, domain.id, undefined],
      ['edge', 'https://a.example.dev', 'a.example.dev:443', https.id, domain.id, undefined],
      ['edge', 'https://b.example.dev', 'b.example.dev:443', https.id, domain.id, undefined],
      ['edge', `tcp://${String(addr['addr'])}`, addr['addr'], tcp.id, undefined, addr.id],
      ['edge', 'tls://c.example.dev', 'c.example.dev:443', tls.id, domain.id, undefined],
    ]),
  )
  for (const item of items) expect((await client.send('GET', `/endpoints/${item.id}`)).body).toEqual(item)
})

it('pages over both kinds, newest first, without a gap or a double', async () => {
  const all = (await list()).items.map(({ id }) => id)
  expect(all).toEqual(all.toSorted((a, b) => (a < b ? 1 : -1)))
  const paged: string[] = []
  for (let query: string | null = '?limit=1'; query !== null;) {
    const { items, next } = await list(query)
    paged.push(...items.map(({ id }) => id))
    query = next === null ? null : new URL(next).search
  }
  expect(paged).toEqual(all)
})

it('keeps the ids of an edge’s addresses while others come and go, and ends with the edge', async () => {
  const edge = await client.create('/edges/https', { hostports: ['x.example.dev:443', 'y.example.dev:443'] })
  const idOf = async (url: string) => (await list()).items.find((item) => item['url'] === url)?.id
  const id = await idOf('https://y.example.dev')
  await client.send('PATCH', `/edges/https/${edge.id}`, { hostports: ['y.example.dev:443', 'z.example.dev:443'] })
  expect(await idOf('https://y.example.dev')).toBe(id)
  await client.send('DELETE', `/edges/https/${edge.id}`)
  expect((await client.send('GET', `/endpoints/${id}`)).status).toBe(404)
})

it('shows nothing of another account', async () => {
  const other = await api.newClient()
  const [item] = (await list()).items
  expect((await list('', other)).items).toEqual([])
  expect((await other.send('GET', `/endpoints/${item?.id}`)).body).toMatchObject({ msg: 'Resource not found' })
})

it.each([
  'ep_',
  'ep_short',
  'ts_zzzzzzzzzzzzzzzzzzzzzzzzzzz',
  'ep_zzzzzzzzzzzzzzzzzzzzzzzzzzz',
  'ep_000000000000000000000000000',
  'nothing',
])('an endpoint %s does not exist, and is as good as any other before_id', async (id) => {
  expect((await client.send('GET', `/endpoints/${id}`)).status).toBe(404)
  const all = (await list()).items.map((item) => item.id)
  expect((await list(`?before_id=${id}`)).items.map((item) => item.id)).toEqual(all.filter((known) => known < id))
})

it('shows with a tunnel that has labels the groups that it serves', async () => {
  const labels = { site: 'a', rack: '1' }
  tunnels.push({ ...tunnel(null), labels })
  const group = (wanted: Record<string, string>) => client.create('/backends/tunnel_group', { labels: wanted })
  const served = [await group({ site: 'a' }), await group(labels)]
  await group({ site: 'b' })
  await group({})
  const { body } = await client.send('GET', '/tunnels')
  const shown = (body['tunnels'] as WireBody[]).find((item) => item.id === tunnels.at(-1)?.id)
  expect(shown).toMatchObject({ labels, tunnel_session: {}, region: 'local' })
  expect(Object.keys(shown ?? {})).not.toContain('public_url')
  expect(new Set(shown?.['backends'] as object[])).toEqual(new Set(served.map(({ id, uri }) => ({ id, uri }))))
  expect((await client.send('GET', `/tunnels/${shown?.id}`)).body).toEqual(shown)
})
