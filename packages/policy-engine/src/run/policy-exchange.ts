import type { CelInput } from '@bufbuild/cel'
import { WorkBudget } from '../expressions/budget.ts'
import type { Exchange } from '../expressions/exchange.ts'
import { type ExpressionScope, expressionScope } from '../expressions/expression-scope.ts'
import { fromJson, type Json } from '../expressions/json-values.ts'
import type { ConnectionFacts, EndpointFacts } from '../message/connection.ts'
import { type RequestFacts, RequestMessage } from '../message/request-message.ts'
import type { ResponseMessage } from '../message/response-message.ts'
import type { PolicyHost, PolicyTrace } from './policy-host.ts'

/** What the host knows when an exchange begins. */
export interface ExchangeFacts {
  readonly connection: ConnectionFacts
  readonly endpoint: EndpointFacts
  readonly request?: RequestFacts
  /** Whether another tunnel of the account answers at this address now. Absent: it is taken for granted. */
  readonly canForwardTo?: (url: string) => boolean
}

/** Whether the upstream gave a usable answer. */
export type UpstreamResult = 'answered' | 'failed'

/** One connection or one request with its response, on its way through a policy. */
export class PolicyExchange implements Exchange {
  readonly facts: ExchangeFacts
  readonly connection: ConnectionFacts
  readonly endpoint: EndpointFacts
  readonly request: RequestMessage | undefined
  readonly trace: PolicyTrace | undefined
  readonly scope: ExpressionScope
  readonly work = new WorkBudget()
  readonly #host: PolicyHost
  #response: ResponseMessage | undefined
  #vars: Map<string, CelInput> | undefined
  #results: Map<string, () => Json> | undefined
  #upstreamWatchers: ((result: UpstreamResult) => void)[] | undefined

  constructor(host: PolicyHost, facts: ExchangeFacts, trace?: PolicyTrace) {
    this.#host = host
    this.facts = facts
    this.connection = facts.connection
    this.endpoint = facts.endpoint
    this.request = facts.request && new RequestMessage(facts.request)
    this.trace = trace
    this.scope = expressionScope(this)
  }

  get response(): ResponseMessage | undefined {
    return this.#response
  }

  get vars(): ReadonlyMap<string, CelInput> {
    return (this.#vars ??= new Map())
  }

  get results(): ReadonlyMap<string, CelInput> {
    return new Map([...(this.#results ?? [])].map(([name, read]) => [name, fromJson(read())]))
  }

  now(): number {
    return this.#host.now()
  }

  random(): number {
    return this.#host.random()
  }

  /** Variables last for one phase. */
  beginPhase(response?: ResponseMessage): void {
    this.#response = response
    this.#vars = undefined
  }

  setVar(name: string, value: CelInput): void {
    this.#vars ??= new Map()
    this.#vars.set(name, value)
  }

  /** Makes the result of an action readable as `actions.service.<name>`; built only if something reads it. */
  setResult(name: string, read: () => Json): void {
    this.#results ??= new Map()
    this.#results.set(name, read)
  }

  /** The watcher hears once how the upstream did, if the request gets that far. */
  watchUpstream(watcher: (result: UpstreamResult) => void): void {
    this.#upstreamWatchers ??= []
    this.#upstreamWatchers.push(watcher)
  }

  /** Somebody wants to hear how the upstream does. */
  get isUpstreamWatched(): boolean {
    return this.#upstreamWatchers !== undefined
  }

  /** The host reports once per request that reached for the upstream. */
  reportUpstream(result: UpstreamResult): void {
    for (const watcher of this.#upstreamWatchers ?? []) watcher(result)
    this.#upstreamWatchers = undefined
  }
}
