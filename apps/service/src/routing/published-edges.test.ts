import { describe, expect, it } from 'vitest'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import { AddressFilters } from './address-filters.ts'
import type { AddressRule } from './address-rules.ts'
import type { EdgeSources, StoredAuthority, StoredBackend, StoredEdge, StoredRoute } from './edge-sources.ts'
import type { ItemSource, MirroredItem } from './mirror.ts'
import { PublishedEdges } from './published-edges.ts'

class Store<Body> implements ItemSource<Body> {
  readonly items = new Map<string, MirroredItem<Body>>()
  put(id: string, body: Body, parentId: string | null = null): void {
    this.items.set(id, { id, accountId: 'ac_1', parentId, body })
  }
  all() {
    return Promise.resolve([...this.items.values()])
  }
  find(id: string) {
    return Promise.resolve(this.items.get(id))
  }
}

function emptyStores() {
  const online: { version: number; tunnels: EdgeTunnel[] } = { version: 0, tunnels: [] }
  return {
    edges: new Store<StoredEdge>(),
    routes: new Store<StoredRoute>(),
    backends: new Store<StoredBackend>(),
    authorities: new Store<StoredAuthority>(),
    addressRules: new Store<AddressRule>(),
    online,
    tunnels: {
      get version() {
        return online.version
      },
      withLabels: () => online.tunnels,
    },
    filters: undefined as AddressFilters | undefined,
  } satisfies EdgeSources & Record<string, unknown>
}

const route = (match: string, modules: StoredRoute['modules'] = {}): StoredRoute => ({
  match_type: 'path_prefix',
  match,
  modules,
})
async function load(stores: ReturnType<typeof emptyStores>): Promise<PublishedEdges> {
  const filters = await AddressFilters.load(new Store<object>(), stores.addressRules)
  stores.filters = filters
  return PublishedEdges.load(stores, {
    now: () => 0,
    random: () => 0,
    staticReach: 'public',
    filters,
    compileModules: () => [],
  })
}

function routeOf(edges: PublishedEdges, host: string, path: string) {
  const result = edges.find(host)?.route(path)
  return result?.kind === 'route' ? result.route : undefined
}

describe('published edges', () => {
  it('are found by exact name, then by the longest wildcard', async () => {
    const stores = emptyStores()
    stores.edges.put('edghts_1', { hostports: ['*.example.com:443'], modules: {} })
    stores.edges.put('edghts_2', { hostports: ['*.a.example.com:443'], modules: {} })
    stores.edges.put('edghts_3', { hostports: ['b.a.example.com:443'], modules: {} })
    const edges = await load(stores)
    const found = ['x.example.com', 'x.a.example.com', 'b.a.example.com', 'example.com'].map(
      (host) => edges.find(host)?.id,
    )
    expect(found).toEqual(['edghts_1', 'edghts_2', 'edghts_3', undefined])
  })

  it('act on a change of a route, backend, rule or edge at once', async () => {
    const stores = emptyStores()
    stores.edges.put('edghts_1', { hostports: ['a.example.com:443'], modules: {} })
    const edges = await load(stores)
    expect(edges.find('a.example.com')?.route('/')).toEqual({ kind: 'none' })

    stores.backends.put('bkdhr_1', { status_code: 418 })
    const restricted = {
      backend: { enabled: true, backend_id: 'bkdhr_1' },
      ip_restriction: { enabled: true, ip_policy_ids: ['ipp_1'] },
    }
    stores.routes.put('edghtsrt_1', route('/', restricted), 'edghts_1')
    await edges.refresh('bkdhr', 'bkdhr_1')
    await edges.refresh('edghtsrt', 'edghtsrt_1')
    expect(routeOf(edges, 'a.example.com', '/')?.backend?.choose([])).toMatchObject({ response: { status: 418 } })
    expect(routeOf(edges, 'a.example.com', '/')?.addressFilter?.isAllowed('192.0.2.1')).toBe(false)

    stores.addressRules.put('ipr_1', { cidr: '192.0.2.0/24', action: 'allow' }, 'ipp_1')
    await stores.filters?.refresh('ipr', 'ipr_1')
    await edges.refresh('ipr', 'ipr_1')
    expect(routeOf(edges, 'a.example.com', '/')?.addressFilter?.isAllowed('::ffff:192.0.2.1')).toBe(true)

    stores.edges.put('edghts_1', { hostports: ['b.example.com:443'], modules: {} })
    await edges.refresh('edghts', 'edghts_1')
    expect(edges.find('a.example.com')).toBeUndefined()
    expect(routeOf(edges, 'b.example.com', '/')).toBeDefined()

    stores.edges.items.clear()
    stores.routes.items.clear()
    await edges.refresh('edghts', 'edghts_1')
    expect(edges.find('b.example.com')).toBeUndefined()
  })

  it('a disabled module is as good as none', async () => {
    const stores = emptyStores()
    stores.edges.put('edghts_1', { hostports: ['a.example.com:443'], modules: {} })
    stores.backends.put('bkdhr_1', {})
    const disabled = {
      backend: { enabled: false, backend_id: 'bkdhr_1' },
      ip_restriction: { enabled: false, ip_policy_ids: ['ipp_1'] },
    }
    stores.routes.put('edghtsrt_1', route('/', disabled), 'edghts_1')
    const edges = await load(stores)
    expect(routeOf(edges, 'a.example.com', '/')).toMatchObject({ backend: null, addressFilter: null })
  })

  it('a tunnel group follows the tunnels that come and go', async () => {
    const stores = emptyStores()
    stores.edges.put('edghts_1', { hostports: ['a.example.com:443'], modules: {} })
    stores.backends.put('bkdtg_1', { labels: { site: 'a' } })
    stores.routes.put('edghtsrt_1', route('/', { backend: { enabled: true, backend_id: 'bkdtg_1' } }), 'edghts_1')
    const edges = await load(stores)
    expect(routeOf(edges, 'a.example.com', '/')?.backend?.choose([])).toEqual({ kind: 'none' })
    const tunnel = { id: 'tn_1' } as EdgeTunnel
    stores.online.tunnels = [tunnel]
    stores.online.version += 1
    expect(routeOf(edges, 'a.example.com', '/')?.backend?.choose([])).toMatchObject({ kind: 'tunnel', tunnel })
  })
})
