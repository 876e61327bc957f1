import { ServiceError } from '@tunnel/models'
import type { MuxStream, StreamHeader } from '@tunnel/session-protocol'
import type { AddressFilter, RouteBackend } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Visitor } from '../visitor/visitor.ts'
import { passConnectRules } from './connect-rules.ts'

/** A published port or name whose connections go to a backend byte for byte. */
export interface RawEdge {
  readonly id: string
  readonly accountId: string
  /** Null: every address may connect. */
  readonly addressFilter: AddressFilter | null
  /** Null: none is configured. */
  readonly backend: RouteBackend | null
}

/** Where a connection goes. */
export type RawTarget = EdgeTunnel | RawEdge

/** A stream to the program behind a target. */
export interface OpenedStream {
  readonly tunnelId: string
  readonly stream: MuxStream
  /** To be called once when the connection is over. */
  readonly end: (outcome: 'success' | 'failure') => void
}

/** Opens a stream; of an edge, through the next tunnel when one cannot. Throws ServiceError. */
export function openStream(target: RawTarget, host: string, visitor: Visitor, region: string): OpenedStream {
  if ('backend' in target) return openThrough(target, host, visitor, region)
  passConnectRules(target, visitor, region)
  return { tunnelId: target.id, stream: target.openStream(headerOf(visitor)), end: () => undefined }
}

function headerOf({ address }: Visitor): Pick<StreamHeader, 'visitorAddress' | 'kind'> {
  return { visitorAddress: address, kind: 'raw' }
}

function openThrough({ backend }: RawEdge, host: string, visitor: Visitor, region: string): OpenedStream {
  const tried: EdgeTunnel[] = []
  for (;;) {
    const choice = backend?.choose(tried)
    // A fixed response is HTTP, which nobody speaks here.
    if (choice?.kind !== 'tunnel') throw new ServiceError('backend_offline', { host })
    passConnectRules(choice.tunnel, visitor, region)
    const end = choice.use.begin()
    try {
      return { tunnelId: choice.tunnel.id, stream: choice.tunnel.openStream(headerOf(visitor)), end }
    } catch {
      end('failure')
      tried.push(choice.tunnel)
    }
  }
}
