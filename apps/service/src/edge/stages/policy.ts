import { ServiceError } from '@tunnel/models'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import { publishedFacts, tunnelFacts } from '../policy/policy-facts.ts'
import { type MaybePromise, type PolicyStageDeps, PolicyStep, type StepContext } from '../policy/policy-step.ts'

/** How often a request may be handed from tunnel to tunnel. */
const hopsMax = 3

type Next = () => MaybePromise<void>

/** Runs the modules of the route that work as policies: on the request now, in their order; on the response when it comes. */
export function routeModules(deps: PolicyStageDeps): Stage {
  const context: StepContext = { ...deps, passed: new WeakMap() }
  const passFrom = (exchange: Exchange, index: number, next: Next): MaybePromise<void> => {
    const module = exchange.route?.modules[index]
    if (module === undefined) return next()
    const goOn = () => passFrom(exchange, index + 1, next)
    const endpoint = publishedFacts(exchange.edge?.id ?? '', exchange.request)
    return new PolicyStep(exchange, { ...module, endpoint, next: goOn, onForwarded: goOn }, context).start()
  }
  return (exchange, next) => passFrom(exchange, 0, next)
}

/** Runs the policy of the tunnel, and of those to which it hands the request. */
export function tunnelPolicy(deps: PolicyStageDeps): Stage {
  const context: StepContext = { ...deps, passed: new WeakMap() }
  const pass = (exchange: Exchange, hops: number, next: Next): MaybePromise<void> => {
    const { tunnel } = exchange
    if (tunnel === undefined || tunnel.policy === null) return next()
    const endpoint = tunnelFacts(tunnel, exchange.request)
    const onForwarded = (): MaybePromise<void> => {
      if (hops === hopsMax) throw new ServiceError('policy_forward_loop')
      return pass(exchange, hops + 1, next)
    }
    return new PolicyStep(
      exchange,
      { policy: tunnel.policy, refusal: null, endpoint, next, onForwarded },
      context,
    ).start()
  }
  return (exchange, next) => pass(exchange, 0, next)
}
