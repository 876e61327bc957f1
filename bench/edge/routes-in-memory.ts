import { AddressFilters } from '@tunnel/service/src/routing/address-filters.ts'
import type {
  StoredAuthority,
  StoredBackend,
  StoredEdge,
  StoredRoute,
} from '@tunnel/service/src/routing/edge-sources.ts'
import type { ItemSource, MirroredItem } from '@tunnel/service/src/routing/mirror.ts'
import { PublishedEdges } from '@tunnel/service/src/routing/published-edges.ts'

const namesPerEdge = 10

/** The service's own routing over stores in memory. */
export interface RoutesInMemory {
  readonly edges: PublishedEdges
  /** Every reserved domain is a name of some edge; a wildcard stands here with a name below it. */
  readonly hosts: readonly string[]
  /** Stores another match for a route of the edge with this number, and takes it over as after a change through the API. */
  readonly change: (edgeNumber: number) => Promise<void>
}

export async function routesInMemory(edgeCount: number): Promise<RoutesInMemory> {
  const stores = {
    edges: new Store<StoredEdge>(),
    routes: new Store<StoredRoute>(),
    backends: new Store<StoredBackend>(),
    authorities: new Store<StoredAuthority>(),
  }
  const hosts: string[] = []
  stores.backends.put('bkdhr_1', { status_code: 200 })
  for (let edge = 0; edge < edgeCount; edge++) {
    const names = Array.from(
      { length: namesPerEdge },
      (_, name) => `${name === 0 ? '*.' : ''}n${name}.e${edge}.example.com`,
    )
    hosts.push(...names.map((name) => name.replace('*', 'any.below')))
    stores.edges.put(`edghts_${edge}`, { hostports: names.map((name) => `${name}:443`), modules: {} })
    for (const match of ['/', '/api/', '/assets/']) putRoute(stores.routes, edge, match, match)
  }
  const filters = await AddressFilters.load(new Store<object>(), new Store())
  const tunnels = { version: 0, withLabels: () => [] }
  const edges = await PublishedEdges.load(
    { ...stores, tunnels },
    { now: () => 0, random: () => 0, staticReach: 'public', filters, compileModules: () => [] },
  )
  let changes = 0
  const change = async (edge: number): Promise<void> => {
    putRoute(stores.routes, edge, '/api/', `/api${(changes += 1)}/`)
    await edges.refresh('edghtsrt', routeId(edge, '/api/'))
  }
  return { edges, hosts, change }
}

class Store<Body> implements ItemSource<Body> {
  readonly #items = new Map<string, MirroredItem<Body>>()

  put(id: string, body: Body, parentId: string | null = null): void {
    this.#items.set(id, { id, accountId: 'ac_1', parentId, body })
  }

  all(): Promise<readonly MirroredItem<Body>[]> {
    return Promise.resolve([...this.#items.values()])
  }

  find(id: string): Promise<MirroredItem<Body> | undefined> {
    return Promise.resolve(this.#items.get(id))
  }
}

function putRoute(routes: Store<StoredRoute>, edge: number, name: string, match: string): void {
  const modules = { backend: { enabled: true, backend_id: 'bkdhr_1' } }
  routes.put(routeId(edge, name), { match_type: 'path_prefix', match, modules }, `edghts_${edge}`)
}

function routeId(edge: number, name: string): string {
  return `edghtsrt_${edge}_${name}`
}
