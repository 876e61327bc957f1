import { ServiceError } from '@tunnel/models'
import { type ExchangeFacts, Policy } from '@tunnel/policy-engine'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import { connectionFacts, rawEdgeFacts, rawTunnelFacts } from '../policy/policy-facts.ts'
import type { Visitor } from '../visitor/visitor.ts'
import type { RawEdge } from './raw-edge.ts'

/** Runs the connection rules of a TCP or TLS edge. Throws `connection_refused` when they do not let the visitor in. */
export function passEdgeRules(edge: RawEdge, host: string, visitor: Visitor, region: string): void {
  if (edge.policies.length === 0) return
  const facts = { connection: connectionFacts(visitor, region), endpoint: rawEdgeFacts(edge, host, visitor) }
  for (const policy of edge.policies) passConnectRules(policy, facts)
}

/** Runs the connection rules of the tunnel itself. Throws `connection_refused`. */
export function passTunnelRules(tunnel: EdgeTunnel, visitor: Visitor, region: string): void {
  if (tunnel.policy === null) return
  const connection = connectionFacts(visitor, region)
  passConnectRules(tunnel.policy, { connection, endpoint: rawTunnelFacts(tunnel, visitor) })
}

function passConnectRules(policy: unknown, facts: ExchangeFacts): void {
  // Whatever stands there instead was meant to protect somebody.
  if (!(policy instanceof Policy)) throw new ServiceError('edge_failure')
  // No action of this phase waits for anything: a promise would be a check that has not been made.
  if (policy.onConnect(policy.begin(facts)) !== undefined) throw new ServiceError('connection_refused')
}
