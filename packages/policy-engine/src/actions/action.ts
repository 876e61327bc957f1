import type { Static, TSchema } from 'typebox'
import type { ProblemCode, WarningCode } from '../document/problem.ts'
import type { PolicyProtocol } from '../document/rules.ts'
import type { Phase } from '../expressions/exchange.ts'
import type { Expression } from '../expressions/expression.ts'
import type { Template } from '../expressions/template.ts'
import type { Outcome } from '../run/outcome.ts'
import type { PolicyExchange } from '../run/policy-exchange.ts'
import type { PolicyHost, RuleRef } from '../run/policy-host.ts'
import type { PolicySample } from '../try/sample.ts'

/** Does the work of one action on one exchange. A throw is a failure of the action. */
export type RunAction = (exchange: PolicyExchange) => Outcome | undefined | Promise<Outcome | undefined>

/** Keys from the configuration down to a field. */
export type FieldPath = readonly (string | number)[]

/** What an action needs to check and compile its configuration. Refusals may be many; compiling goes on after one. */
export interface ActionContext {
  readonly phase: Phase
  readonly protocol: PolicyProtocol
  readonly rule: RuleRef
  readonly host: PolicyHost
  refuse(field: FieldPath, code: ProblemCode, message: string): void
  warn(field: FieldPath, code: WarningCode, message: string): void
  /** After a refusal the answer is a template that is never run. */
  template(field: FieldPath, text: string): Template
  /** After a refusal the answer is undefined. */
  expression(field: FieldPath, text: string): Expression | undefined
  /** State that outlives this compilation while the key, and so the configuration in it, stays the same. */
  state<T>(key: string, create: () => T): T
}

/** A sample for the documentation: a rule that shows the action, and the traffic to show it on. */
export interface ActionExample {
  readonly title: string
  readonly expressions?: readonly string[]
  readonly config?: unknown
  /** Where the rule stands; by default in the request phase. */
  readonly phase?: Phase
  readonly sample?: PolicySample
}

/** One kind of action. Adding one is a file with this value and a line in the registry. */
export interface ActionDefinition<Schema extends TSchema = TSchema> {
  readonly type: string
  readonly phases: readonly Phase[]
  /** One or two sentences for the documentation. */
  readonly summary: string
  readonly config: Schema
  readonly examples: readonly ActionExample[]
  /** What a failure of the action means for the exchange: an answer with 500, or going on without the action. */
  readonly onFailure: 'refuse' | 'continue'
  /** Whether anything after the action can run. */
  ends?(config: Static<Schema>): boolean
  compile(config: Static<Schema>, context: ActionContext): RunAction
}

/** Ties configuration and code of one definition together; the registry does not need their types. */
export function defineAction<Schema extends TSchema>(definition: ActionDefinition<Schema>): ActionDefinition {
  return definition
}
