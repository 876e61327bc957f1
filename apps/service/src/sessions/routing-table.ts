import { ServiceError } from '@tunnel/models'

/** What a host name leads to. `offline`: its agent is away. */
export type Route<Tunnel> =
  | { readonly kind: 'online'; readonly tunnel: Tunnel }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unknown' }

const offline = { kind: 'offline' } as const
const unknown = { kind: 'unknown' } as const

/** Keeps the names that are served or expected back through restarts of the service. Its methods do not wait for the store. */
export interface NameMemory {
  /** As they were at the start, the latest last. */
  readonly remembered: readonly string[]
  remember(name: string): void
  forget(name: string): void
}

/** Which tunnel serves which host name. Names are lower-case; `*.` in front serves every name below, at any depth. */
export class RoutingTable<Tunnel extends object> {
  readonly #online = new Map<string, Route<Tunnel> & { kind: 'online' }>()
  /** In the order in which they went offline; the oldest are forgotten first. */
  readonly #offline: Set<string>
  readonly #offlineMax: number
  readonly #memory: NameMemory

  constructor(offlineMax: number, memory: NameMemory) {
    this.#offlineMax = offlineMax
    this.#memory = memory
    this.#offline = new Set(memory.remembered)
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
    if (!this.#offline.delete(name)) this.#memory.remember(name)
  }

  /** Takes the name away from this very tunnel; a successor under the same name stays. */
  release(name: string, tunnel: Tunnel, isExpectedBack: boolean): void {
    if (this.#online.get(name)?.tunnel !== tunnel) return
    this.#online.delete(name)
    if (isExpectedBack) this.#expect(name)
    else this.#memory.forget(name)
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

  #expect(name: string): void {
    this.#offline.add(name)
    if (this.#offline.size <= this.#offlineMax) return
    const [oldest = name] = this.#offline
    this.#offline.delete(oldest)
    this.#memory.forget(oldest)
  }
}

function* wildcardsOver(host: string): Generator<string> {
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) yield `*${host.slice(dot)}`
}
