import type { EdgeTunnel } from './edge-tunnel.ts'
import type { TlsTerms } from './tls-terms.ts'

/** A published name whose requests go by their path. */
export interface PublishedEdge {
  readonly id: string
  readonly tls: TlsTerms
  /** `path` is what stands before the `?`, as received. */
  route(path: string): RouteLookup
}

/** `ambiguous`: programs disagree about what the path means, and the readings belong to different routes. */
export type RouteLookup =
  | { readonly kind: 'route'; readonly route: EdgeRoute }
  | { readonly kind: 'none' }
  | { readonly kind: 'ambiguous' }

/** What is configured for the requests of one route. */
export interface EdgeRoute {
  readonly id: string
  readonly accountId: string
  /** Null: every address may call. */
  readonly addressFilter: AddressFilter | null
  /** Null: every program may call. */
  readonly userAgentFilter: UserAgentFilter | null
  /** WebSockets are carried to the backend as bytes, and nothing else is. */
  readonly convertsWebSockets: boolean
  /** In the order in which they see a request; they see its response in the reverse order. */
  readonly modules: readonly RouteModule[]
  /** Null: none is configured. */
  readonly backend: RouteBackend | null
}

export interface AddressFilter {
  isAllowed(address: string): boolean
}

export interface UserAgentFilter {
  /** `userAgent` is the first header of that name, empty when there is none. */
  isAllowed(userAgent: string): boolean
}

/** A module of a route that works as a policy does. */
export interface RouteModule {
  /** The compiled policy; only the policy stages know its type. */
  readonly policy: unknown
  /** What a visitor whom the module refuses is told; null: the policy answers in its own words. */
  readonly refusal: 'circuit_open' | 'webhook_refused' | null
}

/** What whole accounts are restricted to. Null: every address may call. */
export interface AccountFilters {
  find(accountId: string): AddressFilter | null
}

/** Where a route forwards to. */
export interface RouteBackend {
  /** `tried`: tunnels that have failed for this very request. */
  choose(tried: readonly EdgeTunnel[]): BackendChoice
}

export type BackendChoice =
  | { readonly kind: 'tunnel'; readonly tunnel: EdgeTunnel; readonly use: TunnelUse }
  | { readonly kind: 'response'; readonly response: FixedResponse }
  | { readonly kind: 'none' }

/** Counts the requests under way; `end` is called once. */
export interface TunnelUse {
  begin(): (outcome: 'success' | 'failure') => void
}

export interface FixedResponse {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: Buffer
}
