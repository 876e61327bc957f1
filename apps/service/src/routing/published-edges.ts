import type { AddressFilter, EdgeRoute, PublishedEdge } from '../edge/edge-route.ts'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import type { AddressFilters } from './address-filters.ts'
import { BackendCatalogue } from './backend-catalogue.ts'
import { Balancer } from './balancer.ts'
import type { EdgeSources, StoredAuthority, StoredEdge, StoredModules, StoredRoute } from './edge-sources.ts'
import { HostTable } from './host-table.ts'
import { Mirror, type MirroredItem } from './mirror.ts'
import { type ModuleCompiler, RouteGuards } from './route-guards.ts'
import { RouteTable } from './route-table.ts'
import type { StaticReach } from './static-upstream.ts'
import { type Authorities, tlsTermsOf } from './visitor-tls.ts'

type CompiledRoute = EdgeRoute & { readonly matchType: StoredRoute['match_type']; readonly match: string }

interface Mirrors {
  readonly edges: Mirror<StoredEdge>
  readonly routes: Mirror<StoredRoute>
  readonly authorities: Mirror<StoredAuthority>
}

interface Compiled {
  readonly version: number
  readonly edge: PublishedEdge
}

export interface PublishingSettings {
  /** Monotonic, in milliseconds. */
  readonly now: () => number
  readonly random: () => number
  readonly staticReach: StaticReach
  /** Refreshed before the edges are. */
  readonly filters: AddressFilters
  readonly compileModules: ModuleCompiler
}

interface Helpers {
  readonly guards: RouteGuards
  readonly filters: AddressFilters
  readonly refreshBackend: (id: string) => Promise<unknown>
}

/** What is published by edges, by host name. Compiled when first asked for, and again after a change. */
export class PublishedEdges {
  readonly #mirrors: Mirrors
  readonly #backends: BackendCatalogue
  readonly #edgeIdByHost = new HostTable()
  readonly #compiled = new Map<string, Compiled>()
  readonly #filters: AddressFilters
  readonly #guards: RouteGuards
  readonly #refreshers: Readonly<Record<string, (id: string) => Promise<void>>>
  #version = 0

  private constructor(mirrors: Mirrors, backends: BackendCatalogue, { guards, filters, refreshBackend }: Helpers) {
    this.#mirrors = mirrors
    this.#filters = filters
    this.#backends = backends
    this.#guards = guards
    for (const edge of mirrors.edges.values()) this.#publish(edge)
    const backend = async (id: string) => void (await refreshBackend(id))
    this.#refreshers = {
      edghts: (id) => this.#refreshEdge(id),
      edghtsrt: async (id) => void (await mirrors.routes.refresh(id)),
      ca: async (id) => void (await mirrors.authorities.refresh(id)),
      ipp: () => Promise.resolve(),
      ipr: () => Promise.resolve(),
      bkdtg: backend,
      bkdhr: backend,
      bkdsc: backend,
      bkdwd: backend,
      bkdfo: backend,
    }
  }

  static async load(sources: EdgeSources, settings: PublishingSettings): Promise<PublishedEdges> {
    const { now, random, staticReach, compileModules, filters } = settings
    const backends = await Mirror.load(sources.backends)
    const balancer = new Balancer<EdgeTunnel>(now)
    const catalogue = new BackendCatalogue({ backends, tunnels: sources.tunnels, balancer, random, staticReach })
    const mirrors = {
      edges: await Mirror.load(sources.edges),
      routes: await Mirror.load(sources.routes),
      authorities: await Mirror.load(sources.authorities),
    }
    const guards = new RouteGuards(compileModules)
    return new PublishedEdges(mirrors, catalogue, { guards, filters, refreshBackend: (id) => backends.refresh(id) })
  }

  get backends(): BackendCatalogue {
    return this.#backends
  }

  get authorities(): Authorities {
    return this.#mirrors.authorities
  }

  /** The edge for a lower-case host name; an exact name before the wildcards that cover it, the longest first. */
  find(host: string): PublishedEdge | undefined {
    if (this.#edgeIdByHost.isEmpty) return undefined
    const id = this.#edgeIdByHost.find(host)
    return id === undefined ? undefined : this.#compile(id)
  }

  /** Takes over one change of the store. `kind` is the id prefix; changes of other types are none of ours. */
  async refresh(kind: string, id: string): Promise<void> {
    const refresher = this.#refreshers[kind]
    if (refresher === undefined) return
    await refresher(id)
    this.#version += 1
  }

  async #refreshEdge(id: string): Promise<void> {
    const { before, after } = await this.#mirrors.edges.refresh(id)
    for (const host of hostsOf(before)) this.#edgeIdByHost.delete(host)
    if (after !== undefined) return this.#publish(after)
    this.#compiled.delete(id)
    this.#mirrors.routes.removeChildrenOf(id)
  }

  #publish(edge: MirroredItem<StoredEdge>): void {
    for (const host of hostsOf(edge)) this.#edgeIdByHost.set(host, edge.id)
  }

  #compile(id: string): PublishedEdge {
    const known = this.#compiled.get(id)
    if (known?.version === this.#version) return known.edge
    const table = new RouteTable(this.#mirrors.routes.childrenOf(id).map((route) => this.#compileRoute(route)))
    const tls = tlsTermsOf(id, this.#mirrors.edges.get(id)?.body.modules ?? {}, this.#mirrors.authorities)
    const edge = { id, tls, route: (path: string) => table.find(path) }
    this.#compiled.set(id, { version: this.#version, edge })
    return edge
  }

  #compileRoute(route: MirroredItem<StoredRoute>): CompiledRoute {
    const { id, accountId, body } = route
    const { match_type: matchType, match, modules } = body
    const convertsWebSockets = modules.websocket_tcp_converter?.enabled === true
    const carried = convertsWebSockets ? 'bytes' : 'requests'
    const backend = modules.backend?.enabled === true ? this.#backends.get(modules.backend.backend_id, carried) : null
    const guards = { addressFilter: this.#filterOf(modules), ...this.#guards.of(route) }
    return { id, accountId, matchType, match, convertsWebSockets, ...guards, backend }
  }

  #filterOf({ ip_restriction: restriction }: StoredModules): AddressFilter | null {
    return restriction?.enabled === true ? this.#filters.union(restriction.ip_policy_ids) : null
  }
}

function hostsOf(edge: MirroredItem<StoredEdge> | undefined): string[] {
  return (edge?.body.hostports ?? []).map((hostport) => hostport.replace(/:\d+$/, ''))
}
