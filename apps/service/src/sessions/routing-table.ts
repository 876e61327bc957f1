import { ServiceError } from '@tunnel/models'

/** What a host name leads to. `offline`: it was published until a short while ago. */
export type Route<Tunnel> =
  | { readonly kind: 'online'; readonly tunnel: Tunnel }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unknown' }

const offline = { kind: 'offline' } as const
const unknown = { kind: 'unknown' } as const

/** Which tunnel serves which host name. Names are lower-case; `*.` in front serves every name below, at any depth. */
export class RoutingTable<Tunnel extends object> {
  readonly #online = new Map<string, Route<Tunnel> & { kind: 'online' }>()
  /** In the order in which they went offline; the oldest are forgotten first. */
  readonly #offline = new Set<string>()
  readonly #offlineMax: number

  constructor(offlineMax: number) {
    this.#offlineMax = offlineMax
  }

  get size(): number {
    return this.#online.size
  }

  /** The exact name first, then the wildcards that cover it, the longest first. */
  find(host: string): Route<Tunnel> {
    return this.#online.get(host) ?? this.#findWildcard(host) ?? this.#findOffline(host)
  }

  /** Whether a name itself is served, not counting wildcards. */
  has(name: string): boolean {
    return this.#online.has(name)
  }

  /** Throws `endpoint_taken` when another tunnel serves the name. */
  claim(name: string, tunnel: Tunnel): void {
    if (this.#online.has(name)) throw new ServiceError('endpoint_taken', { name })
    this.#online.set(name, { kind: 'online', tunnel })
    this.#offline.delete(name)
  }

  /** Takes the name away from this very tunnel; a successor under the same name stays. */
  release(name: string, tunnel: Tunnel, isExpectedBack: boolean): void {
    if (this.#online.get(name)?.tunnel !== tunnel) return
    this.#online.delete(name)
    if (isExpectedBack) this.#remember(name)
  }

  #findWildcard(host: string): (Route<Tunnel> & { kind: 'online' }) | undefined {
    for (const wildcard of wildcardsOver(host)) {
      const route = this.#online.get(wildcard)
      if (route) return route
    }
    return undefined
  }

  #findOffline(host: string): Route<Tunnel> {
    if (this.#offline.has(host)) return offline
    for (const wildcard of wildcardsOver(host)) if (this.#offline.has(wildcard)) return offline
    return unknown
  }

  #remember(name: string): void {
    this.#offline.add(name)
    if (this.#offline.size <= this.#offlineMax) return
    for (const oldest of this.#offline) {
      this.#offline.delete(oldest)
      return
    }
  }
}

function* wildcardsOver(host: string): Generator<string> {
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield `*${host.slice(dot)}`
}
