import type { Phase } from '../expressions/exchange.ts'
import type { Outcome } from './outcome.ts'

/** One rule, as logs, metrics and traces name it. */
export interface RuleRef {
  readonly phase: Phase
  /** JSON path in the document. */
  readonly path: string
  readonly name: string
}

/** Hears what rules do. Texts carry no secrets; values of a trace may. */
export interface PolicyObserver {
  matched(rule: RuleRef): void
  terminated(rule: RuleRef, action: string): void
  /** `what` is `expression` or the type of an action. */
  failed(rule: RuleRef, what: string, message: string): void
  /** From the `log` action. */
  logged(rule: RuleRef, metadata: Readonly<Record<string, unknown>>): void
}

/** Sees every step, for trying a policy out. */
export interface PolicyTrace {
  expression(rule: RuleRef, index: number, text: string, result: unknown): void
  rule(rule: RuleRef, isMatched: boolean): void
  action(rule: RuleRef, index: number, type: string, effect: Outcome | undefined): void
}

/** A set of addresses that is kept outside of the policy. */
export interface IpPolicy {
  /** `allow` or `deny` and the block that decided, or undefined when no rule of the set holds the address. */
  decide(address: string): { readonly action: 'allow' | 'deny'; readonly cidr: string } | undefined
}

/** What the host lends to policies. The engine does no input or output of its own. */
export interface PolicyHost {
  readonly now: () => number
  /** At least 0, less than 1. */
  readonly random: () => number
  readonly observer: PolicyObserver
  /** Fetches a JSON document for key sets; rejects on private addresses, redirects and large bodies. */
  readonly fetchKeySet?: (url: string) => Promise<unknown>
  /** Whether key sets may come from this host although it is an address or a name without a domain. Absent: never. */
  readonly allowsPrivateHost?: (host: string) => boolean
  /** Undefined: no such set. Absent: sets cannot be looked up here, and every id passes validation. */
  readonly ipPolicy?: (id: string) => IpPolicy | undefined
  /** Keeps counters of actions across compilations of one endpoint's policy, by action and configuration. */
  readonly state?: Map<string, unknown>
}

/** A host for checking documents: nothing observed, nothing fetched, nothing kept. */
export const validatingHost: PolicyHost = {
  now: Date.now,
  random: Math.random,
  observer: { matched() {}, terminated() {}, failed() {}, logged() {} },
}
