/**
 * Work that all expressions of one exchange may do together, in nanoseconds: half of the 50 ms that no evaluation may
 * exceed, because a step is let through when its worst case fits into what is left.
 */
const exchangeMaxNanoseconds = 25_000_000

/** Hostile input made the expressions of an exchange too expensive. The exchange is refused. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted'
}

/** The account of one exchange. */
export class WorkBudget {
  remaining = exchangeMaxNanoseconds
  isExhausted = false
}

// Evaluation is synchronous, so one place can say for the whole process whose work is being done.
let current = new WorkBudget()

/** From now on work is taken from this account. */
export function workFor(budget: WorkBudget): void {
  current = budget
}

/** Takes the cost of a step whose cost is known before it runs. */
export function charge(nanoseconds: number): void {
  allowWork(nanoseconds)
  current.remaining -= nanoseconds
}

/** Refuses a step whose worst case is larger than what is left, without taking anything. */
export function allowWork(worstNanoseconds: number): void {
  if (worstNanoseconds <= current.remaining) return
  current.isExhausted = true
  current.remaining = 0
  throw new BudgetExhausted('the expressions need too much work for this request')
}

/** Takes the time that a step really needed. */
export function chargeSince(startedAtMs: number): void {
  current.remaining -= (performance.now() - startedAtMs) * 1e6
}
