import { type CelError, isCelError } from '@bufbuild/cel'
import { BudgetExhausted } from '../expressions/budget.ts'
import type { Expression } from '../expressions/expression.ts'
import type { RunAction } from '../actions/action.ts'
import { type Outcome, refusal } from './outcome.ts'
import type { PolicyExchange } from './policy-exchange.ts'
import type { PolicyObserver, RuleRef } from './policy-host.ts'

export interface CompiledAction {
  readonly type: string
  readonly run: RunAction
  readonly onFailure: 'refuse' | 'continue'
  /** Whether nothing after the action can run. */
  readonly ends: boolean
}

export interface CompiledRule {
  readonly rule: RuleRef
  readonly conditions: readonly Expression[]
  readonly actions: readonly CompiledAction[]
}

/** Where to go on after an action that took time. */
interface Place {
  readonly rule: number
  readonly action: number
}

type MaybePromise<T> = T | Promise<T>

/** Runs the rules of one phase in order. Only an action that waits for something makes the answer a promise. */
export function runRules(
  rules: readonly CompiledRule[],
  exchange: PolicyExchange,
  observer: PolicyObserver,
): MaybePromise<Outcome | undefined> {
  return runFrom({ rule: 0, action: 0 }, rules, exchange, observer)
}

function runFrom(
  place: Place,
  rules: readonly CompiledRule[],
  exchange: PolicyExchange,
  observer: PolicyObserver,
): MaybePromise<Outcome | undefined> {
  for (let i = place.rule; i < rules.length; i++) {
    const compiled = rules[i]
    if (!compiled) break
    const isResumed = i === place.rule && place.action > 0
    const match = isResumed || matches(compiled, exchange, observer)
    if (match === 'exhausted') return overloaded(exchange)
    if (!match) continue
    for (let j = isResumed ? place.action : 0; j < compiled.actions.length; j++) {
      const outcome = runAction(compiled, j, exchange, observer)
      if (outcome instanceof Promise) {
        return outcome.then((result) => result ?? runFrom({ rule: i, action: j + 1 }, rules, exchange, observer))
      }
      if (outcome) return outcome
    }
  }
  return undefined
}

/** Hostile input is refused, so that it cannot hide from a rule by making it expensive. */
function overloaded({ response }: PolicyExchange): Outcome {
  return refusal(response ? 500 : 431)
}

/** All expressions must be true. The first false decides; an error with no false means no match. */
function matches(compiled: CompiledRule, exchange: PolicyExchange, observer: PolicyObserver): boolean | 'exhausted' {
  const { rule } = compiled
  try {
    const result = conjunction(compiled, exchange)
    if (typeof result === 'string') observer.failed(rule, 'expression', result)
    const isMatched = result === true
    exchange.trace?.rule(rule, isMatched)
    if (isMatched) observer.matched(rule)
    return isMatched
  } catch (error) {
    if (!(error instanceof BudgetExhausted)) throw error
    observer.failed(rule, 'expression', error.message)
    return 'exhausted'
  }
}

/** True, false, or why the expressions have no value. */
function conjunction({ rule, conditions }: CompiledRule, exchange: PolicyExchange): boolean | string {
  let failure: string | undefined
  for (let i = 0; i < conditions.length; i++) {
    const condition = conditions[i]
    const result = condition?.evaluate(exchange.scope)
    exchange.trace?.expression(rule, i, condition?.text ?? '', result)
    if (result === false) return false
    if (result !== true) failure ??= isCelError(result) ? describeFailure(result) : 'the value is not a boolean'
  }
  return failure ?? true
}

/** Messages of the library quote values, which a log must not show. */
function describeFailure({ message }: CelError): string {
  if (/^(?:field not found|unresolved attribute|index .* out of bounds)/.test(message))
    return 'something that the expression reads is missing'
  if (message.startsWith('found no matching overload')) return 'the types of the values do not fit'
  return 'the expression failed on these values'
}

function runAction(
  { rule, actions }: CompiledRule,
  index: number,
  exchange: PolicyExchange,
  observer: PolicyObserver,
): MaybePromise<Outcome | undefined> {
  const action = actions[index]
  if (!action) return undefined
  try {
    const outcome = action.run(exchange)
    if (!(outcome instanceof Promise)) return settle(outcome)
    return outcome.then(settle, (error: unknown) => settle(failed(error)))
  } catch (error) {
    return settle(failed(error))
  }

  function settle(outcome: Outcome | undefined): Outcome | undefined {
    if (outcome && action) observer.terminated(rule, action.type)
    if (action) exchange.trace?.action(rule, index, action.type, outcome)
    return outcome
  }

  function failed(error: unknown): Outcome | undefined {
    observer.failed(rule, action?.type ?? '', error instanceof Error ? error.message : String(error))
    if (error instanceof BudgetExhausted) return overloaded(exchange)
    return action?.onFailure === 'refuse' ? failureOutcome(exchange) : undefined
  }
}

/** A check that could not be made refuses. */
function failureOutcome({ request }: PolicyExchange): Outcome {
  return request ? refusal(500) : { kind: 'close' }
}
