import type { MuxStream, StreamHeader } from '@tunnel/session-protocol'

/** A tunnel as the edge sees it. One object per bind: streams are kept for reuse as long as the object is the same. */
export interface EdgeTunnel {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly forwardsTo: string
  /** `tcp` and `tls` tunnels carry bytes that nobody here looks into. */
  readonly protocol: 'http' | 'https' | 'tcp' | 'tls'
  /** The compiled policy; only the policy stage knows its type. */
  readonly policy: unknown
  readonly upstreamProtocol: 'http1' | 'http2'
  /** Throws ServiceError `agent_offline`. The session may live in another process: failure may also come later, as a reset. */
  openStream(header: Pick<StreamHeader, 'visitorAddress' | 'kind'>): MuxStream
}
