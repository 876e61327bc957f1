import type { MuxStream, StreamHeader } from '@tunnel/session-protocol'

/** Where a host name leads at this moment. Asked for every request, so it answers from memory. */
export interface EndpointLookup {
  /** `hostName` is lower-case, without port and without a trailing dot. */
  find(hostName: string): EndpointState
}

/** `offline`: the name is published, but no agent serves it now. */
export type EndpointState =
  | { readonly kind: 'online'; readonly tunnel: EdgeTunnel }
  | { readonly kind: 'offline' }
  | { readonly kind: 'unknown' }

/** A tunnel as the edge sees it. One object per bind: streams are kept for reuse as long as the object is the same. */
export interface EdgeTunnel {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly forwardsTo: string
  /** The compiled policy; only the policy stage knows its type. */
  readonly policy: unknown
  readonly upstreamProtocol: 'http1' | 'http2'
  /** Throws ServiceError `agent_offline`. The session may live in another process: failure may also come later, as a reset. */
  openStream(header: Pick<StreamHeader, 'visitorAddress' | 'kind'>): MuxStream
}
