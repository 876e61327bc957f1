import { ServiceError } from '@tunnel/models'
import type { MuxStream, StreamHeader } from '@tunnel/session-protocol'
import type { AddressFilter, RouteBackend } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import { connectionFacts, rawEdgeFacts, rawTunnelFacts } from '../policy/policy-facts.ts'
import type { Visitor } from '../visitor/visitor.ts'
import { passConnectRules } from './connect-rules.ts'

/** A published port or name whose connections go to a backend byte for byte. */
export interface RawEdge {
  readonly id: string
  readonly accountId: string
  readonly protocol: 'tcp' | 'tls'
  /** Null: every address may connect. */
  readonly addressFilter: AddressFilter | null
  /** Its modules that work as policies, compiled. One that cannot run lets nobody in. */
  readonly policies: readonly unknown[]
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
  passTunnelRules(target, visitor, region)
  return { tunnelId: target.id, stream: target.openStream(headerOf(visitor)), end: () => undefined }
}

function headerOf({ address }: Visitor): Pick<StreamHeader, 'visitorAddress' | 'kind'> {
  return { visitorAddress: address, kind: 'raw' }
}

function passTunnelRules(tunnel: EdgeTunnel, visitor: Visitor, region: string): void {
  if (tunnel.policy === null) return
  const connection = connectionFacts(visitor, region)
  passConnectRules(tunnel.policy, { connection, endpoint: rawTunnelFacts(tunnel, visitor) })
}

function passEdgeRules(edge: RawEdge, host: string, visitor: Visitor, region: string): void {
  if (edge.policies.length === 0) return
  const facts = { connection: connectionFacts(visitor, region), endpoint: rawEdgeFacts(edge, host, visitor) }
  for (const policy of edge.policies) passConnectRules(policy, facts)
}

function openThrough(edge: RawEdge, host: string, visitor: Visitor, region: string): OpenedStream {
  passEdgeRules(edge, host, visitor, region)
  const { backend } = edge
  const tried: EdgeTunnel[] = []
  for (;;) {
    const choice = backend?.choose(tried)
    // A fixed response is HTTP, which nobody speaks here.
    if (choice?.kind !== 'tunnel') throw new ServiceError('backend_offline', { host })
    passTunnelRules(choice.tunnel, visitor, region)
    const end = choice.use.begin()
    try {
      return { tunnelId: choice.tunnel.id, stream: choice.tunnel.openStream(headerOf(visitor)), end }
    } catch {
      end('failure')
      tried.push(choice.tunnel)
    }
  }
}
