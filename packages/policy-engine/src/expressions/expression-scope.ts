import type { WorkBudget } from './budget.ts'
import type { Exchange } from './exchange.ts'
import { randomVariable } from './functions/random.ts'
import { variables } from './variables.ts'

/** The variables of one exchange as the library looks them up: by dotted name, read when touched. */
export type ExpressionScope = Record<string, never>

export function expressionScope(exchange: Exchange): ExpressionScope {
  return new Scope(exchange) as unknown as ExpressionScope
}

/** The account that evaluations in this scope draw on. */
export function workOf(scope: ExpressionScope): WorkBudget {
  return Scope.workOf(scope as unknown as Scope)
}

class Scope {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  static {
    // Without Object.prototype behind it, a name such as `constructor` finds nothing.
    Object.setPrototypeOf(Scope.prototype, null)
    for (const [name, { read }] of variables) {
      Scope.#define(name, read)
      Scope.#define(`@has ${name}`, (exchange) => read(exchange) !== undefined)
    }
    Scope.#define(randomVariable, (exchange) => exchange.random())
  }

  static workOf(scope: Scope): WorkBudget {
    return scope.#exchange.work
  }

  static #define(name: string, read: (exchange: Exchange) => unknown): void {
    Object.defineProperty(Scope.prototype, name, {
      get(this: Scope) {
        return read(this.#exchange)
      },
    })
  }
}
