import { type ResponseFacts, ResponseMessage } from '../message/response-message.ts'
import type { Phase } from '../expressions/exchange.ts'
import type { Outcome } from './outcome.ts'
import { type ExchangeFacts, PolicyExchange } from './policy-exchange.ts'
import type { PolicyHost, PolicyTrace } from './policy-host.ts'
import { type CompiledRule, runRules } from './run-rules.ts'

type MaybePromise<T> = T | Promise<T>

/** A compiled policy. One serves all connections of an endpoint. */
export class Policy {
  readonly #host: PolicyHost
  readonly #rules: Readonly<Record<Phase, readonly CompiledRule[]>>

  constructor(host: PolicyHost, rules: readonly CompiledRule[]) {
    this.#host = host
    const ofPhase = (phase: Phase): CompiledRule[] => rules.filter(({ rule }) => rule.phase === phase)
    this.#rules = { connect: ofPhase('connect'), request: ofPhase('request'), response: ofPhase('response') }
  }

  /** False: the phase can be skipped altogether. */
  hasRules(phase: Phase): boolean {
    return this.#rules[phase].length > 0
  }

  begin(facts: ExchangeFacts, trace?: PolicyTrace): PolicyExchange {
    return new PolicyExchange(this.#host, facts, trace)
  }

  /** Rules at the acceptance of a connection. */
  onConnect(exchange: PolicyExchange): MaybePromise<Outcome | undefined> {
    exchange.beginPhase()
    return runRules(this.#rules.connect, exchange, this.#host.observer)
  }

  /** Rules on a request; undefined: pass on `exchange.request` as it is now. */
  onRequest(exchange: PolicyExchange): MaybePromise<Outcome | undefined> {
    exchange.beginPhase()
    return runRules(this.#rules.request, exchange, this.#host.observer)
  }

  /** Rules on a response; undefined: pass on `exchange.response` as it is now. */
  onResponse(exchange: PolicyExchange, facts: ResponseFacts): MaybePromise<Outcome | undefined> {
    exchange.beginPhase(new ResponseMessage(facts))
    return runRules(this.#rules.response, exchange, this.#host.observer)
  }
}
