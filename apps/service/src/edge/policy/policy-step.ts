import { ServiceError } from '@tunnel/models'
import {
  type EndpointFacts,
  type ExchangeFacts,
  type Outcome,
  Policy,
  type PolicyExchange,
} from '@tunnel/policy-engine'
import type { RouteModule } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { EndpointLookup } from '../endpoint-lookup.ts'
import type { Exchange } from '../exchange.ts'
import type { Visitor } from '../visitor/visitor.ts'
import { collectBody } from './collect-body.ts'
import { changedRequest, connectionFacts, requestFacts } from './policy-facts.ts'
import { replyOf } from './policy-reply.ts'
import { PolicyResponse } from './policy-response.ts'

export type MaybePromise<T> = T | Promise<T>

export interface PolicyStageDeps {
  readonly endpoints: EndpointLookup
  readonly region: string
}

export interface StepContext extends PolicyStageDeps {
  /** Policies whose connection rules a visitor has passed. */
  readonly passed: WeakMap<Visitor, WeakSet<Policy>>
}

/** A policy that one request has to pass. */
export interface PolicyToPass extends RouteModule {
  /** What the visitor reached, as the policy sees it. */
  readonly endpoint: EndpointFacts
  /** The request goes on. */
  next(): MaybePromise<void>
  /** The policy has put another tunnel in the exchange. */
  onForwarded(): MaybePromise<void>
}

/** One request on its way through one policy. */
export class PolicyStep {
  readonly #exchange: Exchange
  readonly #toPass: PolicyToPass
  readonly #policy: Policy
  readonly #context: StepContext

  constructor(exchange: Exchange, toPass: PolicyToPass, context: StepContext) {
    // Whatever stands there instead was meant to protect the endpoint.
    if (!(toPass.policy instanceof Policy)) throw new ServiceError('edge_failure')
    this.#exchange = exchange
    this.#toPass = toPass
    this.#policy = toPass.policy
    this.#context = context
  }

  start(): MaybePromise<void> {
    const run = this.#policy.begin(this.#facts())
    const outcome = this.#run(run)
    return outcome instanceof Promise ? this.#settleLater(outcome, run) : this.#settle(outcome, run)
  }

  #facts(): ExchangeFacts {
    return {
      connection: connectionFacts(this.#exchange.visitor, this.#context.region),
      endpoint: this.#toPass.endpoint,
      request: requestFacts(this.#exchange, (maxBytes) => collectBody(this.#exchange, maxBytes)),
      canForwardTo: (url) => this.#findTarget(url) !== undefined,
    }
  }

  #run(run: PolicyExchange): MaybePromise<Outcome | undefined> {
    const connected = this.#runConnectRules(run)
    if (connected instanceof Promise) return connected.then((outcome) => outcome ?? this.#policy.onRequest(run))
    return connected ?? this.#policy.onRequest(run)
  }

  /** Over HTTP the policy is known with the first request of a connection: its connection rules run then, once. */
  #runConnectRules(run: PolicyExchange): MaybePromise<Outcome | undefined> {
    const policy = this.#policy
    if (!policy.hasRules('connect')) return undefined
    const { passed } = this.#context
    const policies = passed.get(this.#exchange.visitor) ?? new WeakSet()
    passed.set(this.#exchange.visitor, policies)
    if (policies.has(policy)) return undefined
    const remember = (outcome: Outcome | undefined): Outcome | undefined => {
      if (outcome === undefined) policies.add(policy)
      return outcome
    }
    const outcome = policy.onConnect(run)
    return outcome instanceof Promise ? outcome.then(remember) : remember(outcome)
  }

  async #settleLater(outcome: Promise<Outcome | undefined>, run: PolicyExchange): Promise<void> {
    const settled = await outcome
    if (!this.#exchange.isOver) await this.#settle(settled, run)
  }

  #settle(outcome: Outcome | undefined, run: PolicyExchange): MaybePromise<void> {
    const exchange = this.#exchange
    switch (outcome?.kind) {
      case undefined:
        this.#prepare(run)
        return this.#toPass.next()
      case 'respond':
        return this.#respond(outcome, run)
      case 'close':
        exchange.response.abort()
        return exchange.body?.discard()
      case 'forward':
        this.#prepare(run)
        return this.#forwardTo(outcome.url)
    }
  }

  #respond(outcome: Extract<Outcome, { kind: 'respond' }>, run: PolicyExchange): void {
    const exchange = this.#exchange
    const { refusal } = this.#toPass
    const failure = refusal === null ? null : new ServiceError(refusal)
    // Any other status is that of a check that could not be made.
    if (failure?.definition.status === outcome.status)
      return exchange.fail(failure, { moreHeaders: outcome.headers.flat() })
    if (outcome.runsResponsePhase) exchange.response = new PolicyResponse(exchange, this.#policy, run, false)
    exchange.answer(replyOf(outcome, exchange.request.method))
  }

  /** What goes on is what the rules made of the request, and what comes back passes their other half. */
  #prepare(run: PolicyExchange): void {
    const exchange = this.#exchange
    const { request } = run
    if (request && (request.isRewritten || request.headers.raw !== request.facts.rawHeaders)) {
      exchange.request = changedRequest(
        exchange.request,
        request.headers.raw,
        request.isRewritten ? request.url : undefined,
      )
    }
    if (run.isUpstreamWatched || this.#policy.hasRules('response'))
      exchange.response = new PolicyResponse(exchange, this.#policy, run, true)
  }

  #forwardTo(url: string): MaybePromise<void> {
    const target = this.#findTarget(url)
    if (!target) throw new ServiceError('policy_forward_unavailable', { url })
    this.#exchange.tunnel = target
    return this.#toPass.onForwarded()
  }

  /** Tunnels of other accounts are not there. */
  #findTarget(url: string): EdgeTunnel | undefined {
    const endpoint = this.#context.endpoints.find(new URL(url).hostname)
    const isOwn = endpoint.kind === 'online' && endpoint.tunnel.accountId === this.#exchange.accountId
    return isOwn ? endpoint.tunnel : undefined
  }
}
