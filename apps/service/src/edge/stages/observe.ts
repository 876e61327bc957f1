import type { ExchangeObserver } from '../access-log.ts'
import type { Stage } from '../pipeline.ts'

/** First of all stages: whatever the others do, the exchange is counted and logged when it is over. */
export function observe(observers: readonly ExchangeObserver[]): Stage {
  return (exchange, next) => {
    exchange.observers = observers
    return next()
  }
}
