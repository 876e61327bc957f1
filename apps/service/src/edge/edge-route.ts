import type { EdgeTunnel } from './edge-tunnel.ts'

/** A published name whose requests go by their path. */
export interface PublishedEdge {
  readonly id: string
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
  /** Null: none is configured. */
  readonly backend: RouteBackend | null
}

export interface AddressFilter {
  isAllowed(address: string): boolean
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
