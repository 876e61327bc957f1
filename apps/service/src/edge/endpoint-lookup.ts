import type { PublishedEdge } from './edge-route.ts'
import type { EdgeTunnel } from './edge-tunnel.ts'
import type { RawEdge } from './raw/raw-edge.ts'

/** Where a host name leads at this moment. Asked for every request, so it answers from memory. */
export interface EndpointLookup {
  /** `hostName` is lower-case, without port and without a trailing dot. */
  find(hostName: string): EndpointState
}

/** `offline`: the name is published, but no agent serves it now. */
export type EndpointState =
  | { readonly kind: 'online'; readonly tunnel: EdgeTunnel }
  | { readonly kind: 'edge'; readonly edge: PublishedEdge }
  /** Its visitors speak TLS with the program behind it. */
  | { readonly kind: 'raw-edge'; readonly edge: RawEdge }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unknown' }
