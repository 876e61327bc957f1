import { ServiceError } from '@tunnel/models'
import { type ExchangeFacts, type Outcome, Policy, type PolicyExchange } from '@tunnel/policy-engine'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { EndpointLookup } from '../endpoint-lookup.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import { collectBody } from '../policy/collect-body.ts'
import { changedRequest, connectionFacts, endpointFacts, requestFacts } from '../policy/policy-facts.ts'
import { replyOf } from '../policy/policy-reply.ts'
import { PolicyResponse } from '../policy/policy-response.ts'
import type { Visitor } from '../visitor/visitor.ts'

/** How often a request may be handed from tunnel to tunnel. */
const hopsMax = 3

export interface PolicyStageDeps {
  readonly endpoints: EndpointLookup
  readonly region: string
}

/** Runs the policy of the tunnel: its rules on the request now, those on the response when it comes. */
export function policy(deps: PolicyStageDeps): Stage {
  const passed = new WeakMap<Visitor, WeakSet<EdgeTunnel>>()
  return (exchange, next) => new PolicyStep(exchange, next, { ...deps, passed }).start()
}

interface StepContext extends PolicyStageDeps {
  /** Tunnels whose connection rules a visitor has passed. */
  readonly passed: WeakMap<Visitor, WeakSet<EdgeTunnel>>
}

type MaybePromise<T> = T | Promise<T>

/** One request on its way through the policies of one or more tunnels. */
class PolicyStep {
  readonly #exchange: Exchange
  readonly #next: () => MaybePromise<void>
  readonly #context: StepContext
  #hops = 0

  constructor(exchange: Exchange, next: () => MaybePromise<void>, context: StepContext) {
    this.#exchange = exchange
    this.#next = next
    this.#context = context
  }

  start(): MaybePromise<void> {
    const { tunnel } = this.#exchange
    if (tunnel === undefined || tunnel.policy === null) return this.#next()
    // Whatever stands there instead was meant to protect the tunnel.
    if (!(tunnel.policy instanceof Policy)) throw new ServiceError('edge_failure')
    const run = tunnel.policy.begin(this.#facts(tunnel))
    const outcome = this.#run(tunnel, tunnel.policy, run)
    if (!(outcome instanceof Promise)) return this.#settle(outcome, tunnel.policy, run)
    return this.#settleLater(outcome, tunnel.policy, run)
  }

  #facts(tunnel: EdgeTunnel): ExchangeFacts {
    return {
      connection: connectionFacts(this.#exchange.visitor, this.#context.region),
      endpoint: endpointFacts(tunnel, this.#exchange.request),
      request: requestFacts(this.#exchange, (maxBytes) => collectBody(this.#exchange, maxBytes)),
      canForwardTo: (url) => this.#findTarget(url) !== undefined,
    }
  }

  #run(tunnel: EdgeTunnel, compiled: Policy, run: PolicyExchange): MaybePromise<Outcome | undefined> {
    const connected = this.#runConnectRules(tunnel, compiled, run)
    if (connected instanceof Promise) return connected.then((outcome) => outcome ?? compiled.onRequest(run))
    return connected ?? compiled.onRequest(run)
  }

  /** Over HTTP the tunnel is known with the first request of a connection: its connection rules run then, once. */
  #runConnectRules(tunnel: EdgeTunnel, compiled: Policy, run: PolicyExchange): MaybePromise<Outcome | undefined> {
    if (!compiled.hasRules('connect')) return undefined
    const { passed } = this.#context
    const tunnels = passed.get(this.#exchange.visitor) ?? new WeakSet()
    passed.set(this.#exchange.visitor, tunnels)
    if (tunnels.has(tunnel)) return undefined
    const remember = (outcome: Outcome | undefined): Outcome | undefined => {
      if (outcome === undefined) tunnels.add(tunnel)
      return outcome
    }
    const outcome = compiled.onConnect(run)
    return outcome instanceof Promise ? outcome.then(remember) : remember(outcome)
  }

  async #settleLater(outcome: Promise<Outcome | undefined>, compiled: Policy, run: PolicyExchange): Promise<void> {
    const settled = await outcome
    if (!this.#exchange.isOver) await this.#settle(settled, compiled, run)
  }

  #settle(outcome: Outcome | undefined, compiled: Policy, run: PolicyExchange): MaybePromise<void> {
    const exchange = this.#exchange
    switch (outcome?.kind) {
      case undefined:
        this.#prepare(compiled, run)
        return this.#next()
      case 'respond':
        if (outcome.runsResponsePhase) exchange.response = new PolicyResponse(exchange, compiled, run, false)
        return exchange.answer(replyOf(outcome, exchange.request.method))
      case 'close':
        exchange.response.abort()
        return exchange.body?.discard()
      case 'forward':
        this.#prepare(compiled, run)
        return this.#forwardTo(outcome.url)
    }
  }

  /** What goes to the upstream is what the rules made of the request, and what comes back passes their other half. */
  #prepare(compiled: Policy, run: PolicyExchange): void {
    const exchange = this.#exchange
    const { request } = run
    if (request && (request.isRewritten || request.headers.raw !== request.facts.rawHeaders)) {
      exchange.request = changedRequest(
        exchange.request,
        request.headers.raw,
        request.isRewritten ? request.url : undefined,
      )
    }
    if (run.isUpstreamWatched || compiled.hasRules('response'))
      exchange.response = new PolicyResponse(exchange, compiled, run, true)
  }

  #forwardTo(url: string): MaybePromise<void> {
    if (++this.#hops > hopsMax) throw new ServiceError('policy_forward_loop')
    const target = this.#findTarget(url)
    if (!target) throw new ServiceError('policy_forward_unavailable', { url })
    this.#exchange.tunnel = target
    return this.start()
  }

  /** Tunnels of other accounts are not there. */
  #findTarget(url: string): EdgeTunnel | undefined {
    const endpoint = this.#context.endpoints.find(new URL(url).hostname)
    const isOwn = endpoint.kind === 'online' && endpoint.tunnel.accountId === this.#exchange.tunnel?.accountId
    return isOwn ? endpoint.tunnel : undefined
  }
}
