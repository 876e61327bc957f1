/** Work that one evaluation may do, in nanoseconds: half of the 50 ms that no evaluation may exceed. */
const evaluationMaxNanoseconds = 25_000_000

/** Hostile input made an evaluation too expensive. The request that caused it is refused. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted'
}

// Evaluation is synchronous, so one account serves the whole process.
let remaining = evaluationMaxNanoseconds
let exhausted = false

export function openBudget(): void {
  remaining = evaluationMaxNanoseconds
  exhausted = false
}

/** Whether the evaluation since `openBudget` was cut short, whatever its result looks like. */
export function isBudgetExhausted(): boolean {
  return exhausted
}

/** Takes the cost of a step whose cost is known before it runs. */
export function charge(nanoseconds: number): void {
  allowWork(nanoseconds)
  remaining -= nanoseconds
}

/** Refuses a step whose worst case is larger than what is left, without taking anything. */
export function allowWork(worstNanoseconds: number): void {
  if (worstNanoseconds <= remaining) return
  exhausted = true
  remaining = 0
  throw new BudgetExhausted('the expression needs too much work for this input')
}

/** Takes the time that a step really needed. */
export function chargeSince(startedAtMs: number): void {
  remaining -= (performance.now() - startedAtMs) * 1e6
}
