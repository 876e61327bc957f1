import type { RouteBackend } from '../edge/edge-route.ts'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import { Failover, HttpResponse, TunnelGroup, Weighted } from './backends.ts'
import type { Balancer } from './balancer.ts'
import type { LabelledTunnels, StoredBackend } from './edge-sources.ts'
import type { Mirror, MirroredItem } from './mirror.ts'
import { type StaticReach, staticUpstream } from './static-upstream.ts'

interface BackendCatalogueDeps {
  readonly backends: Mirror<StoredBackend>
  readonly tunnels: LabelledTunnels
  readonly balancer: Balancer<EdgeTunnel>
  readonly random: () => number
  readonly staticReach: StaticReach
}

/** What goes to a backend: only tunnels for it are chosen. */
export type Carried = 'requests' | 'bytes'

type Build = (item: MirroredItem<StoredBackend>, carried: Carried) => RouteBackend

/** Makes the working form of stored backends. */
export class BackendCatalogue {
  readonly #deps: BackendCatalogueDeps
  /** By id prefix. Nesting is refused when a backend is stored, so building ends. */
  readonly #build: Readonly<Record<string, Build>>

  constructor(deps: BackendCatalogueDeps) {
    this.#deps = deps
    this.#build = {
      bkdtg: (item, carried) => this.#tunnelGroup(item, carried),
      bkdhr: ({ body }) => fixedResponse(body),
      bkdsc: (item) => this.#staticBackend(item),
      bkdfo: ({ body }, carried) => new Failover(this.#all(body.backends as readonly string[], carried)),
      bkdwd: ({ body }, carried) =>
        new Weighted(this.#weighted(body.backends as Record<string, number>, carried), deps.random),
    }
  }

  /** Null for an id that leads nowhere. */
  get(id: string, carried: Carried): RouteBackend | null {
    const item = this.#deps.backends.get(id)
    return (item && this.#build[id.split('_')[0] ?? '']?.(item, carried)) ?? null
  }

  #all(ids: readonly string[], carried: Carried): RouteBackend[] {
    return ids.map((id) => this.get(id, carried)).filter((backend) => backend !== null)
  }

  #weighted(weights: Readonly<Record<string, number>>, carried: Carried) {
    return Object.entries(weights).flatMap(([id, weight]) =>
      this.#all([id], carried).map((backend) => ({ backend, weight })),
    )
  }

  #staticBackend({ id, accountId, body: { address = '', tls } }: MirroredItem<StoredBackend>): RouteBackend {
    const target = { id, accountId, address, isTls: tls?.enabled === true }
    const members = [staticUpstream(target, this.#deps.staticReach)]
    return new TunnelGroup(() => members, this.#deps.balancer)
  }

  #tunnelGroup({ accountId, body: { labels = {} } }: MirroredItem<StoredBackend>, carried: Carried): RouteBackend {
    const { tunnels, balancer } = this.#deps
    let version = -1
    let members: readonly EdgeTunnel[] = []
    return new TunnelGroup(() => {
      const current = tunnels.version
      if (current !== version)
        members = tunnels.withLabels(accountId, labels).filter((tunnel) => carries(tunnel, carried))
      version = current
      return members
    }, balancer)
  }
}

function fixedResponse({ status_code: status = 200, headers, body = '' }: StoredBackend): RouteBackend {
  return new HttpResponse({ status, headers: Object.entries(headers ?? {}).flat(), body: Buffer.from(body) })
}

/** Policies of `http` tunnels would not see raw bytes, and `tcp` tunnels lead to programs that need not speak HTTP. */
function carries({ protocol }: EdgeTunnel, carried: Carried): boolean {
  return (protocol === 'tcp' || protocol === 'tls') === (carried === 'bytes')
}
