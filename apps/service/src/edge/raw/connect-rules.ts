import { ServiceError } from '@tunnel/models'
import { Policy } from '@tunnel/policy-engine'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import { connectionFacts, rawEndpointFacts } from '../policy/policy-facts.ts'
import type { Visitor } from '../visitor/visitor.ts'

/** Runs the connection rules of a tunnel that carries bytes. Throws `connection_refused` when they do not let the visitor in. */
export function passConnectRules(tunnel: EdgeTunnel, visitor: Visitor, region: string): void {
  const { policy } = tunnel
  if (policy === null) return
  // Whatever stands there instead was meant to protect the tunnel.
  if (!(policy instanceof Policy)) throw new ServiceError('edge_failure')
  const facts = { connection: connectionFacts(visitor, region), endpoint: rawEndpointFacts(tunnel, visitor) }
  // No action of this phase waits for anything: a promise would be a check that has not been made.
  if (policy.onConnect(policy.begin(facts)) !== undefined) throw new ServiceError('connection_refused')
}
