import { ServiceError } from '@tunnel/models'
import { type ExchangeFacts, Policy } from '@tunnel/policy-engine'

/** Runs the connection rules of a compiled policy. Throws `connection_refused` when they do not let the visitor in. */
export function passConnectRules(policy: unknown, facts: ExchangeFacts): void {
  // Whatever stands there instead was meant to protect somebody.
  if (!(policy instanceof Policy)) throw new ServiceError('edge_failure')
  // No action of this phase waits for anything: a promise would be a check that has not been made.
  if (policy.onConnect(policy.begin(facts)) !== undefined) throw new ServiceError('connection_refused')
}
