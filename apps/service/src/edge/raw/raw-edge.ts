import type { AddressFilter, RouteBackend } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { TlsTerms } from '../tls-terms.ts'

/** A published port or name whose connections go to a backend byte for byte. */
export interface RawEdge {
  readonly id: string
  readonly accountId: string
  readonly protocol: 'tcp' | 'tls'
  /** How TLS ends here, and the bytes within go to the backend. Null: they pass as they are. */
  readonly termination: TlsTerms | null
  /** Null: every address may connect. */
  readonly addressFilter: AddressFilter | null
  /** Its modules that work as policies, compiled. One that cannot run lets nobody in. */
  readonly policies: readonly unknown[]
  /** Null: none is configured. */
  readonly backend: RouteBackend | null
  /** Calls `end` when the edge is deleted, or gives up the place at which a connection came in. Call the result when it is over. */
  keep(end: () => void): () => void
}

/** Where a connection goes. */
export type RawTarget = EdgeTunnel | RawEdge
