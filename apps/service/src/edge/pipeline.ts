import type { Exchange } from './exchange.ts'

/**
 * One step of handling a request. It calls `next`, or it has answered, or it throws; a promise is for work that has to wait.
 * What the forward stage starts goes on after it has returned.
 */
export type Stage = (exchange: Exchange, next: () => void | Promise<void>) => void | Promise<void>

/** Runs stages in order. A failure of any of them becomes the answer. */
export function pipeline(stages: readonly Stage[]): (exchange: Exchange) => void {
  const run = (exchange: Exchange, index: number): void | Promise<void> =>
    stages[index]?.(exchange, () => run(exchange, index + 1))
  return (exchange) => {
    try {
      run(exchange, 0)?.catch((error: unknown) => exchange.fail(error))
    } catch (error) {
      exchange.fail(error)
    }
  }
}
