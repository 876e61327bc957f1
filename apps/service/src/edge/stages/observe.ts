import type { ExchangeObserver } from '../access-log.ts'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'

/** First of all stages: whatever the others do, the exchange is counted and logged when it is over. */
export function observe(observers: readonly ExchangeObserver[]): Stage {
  return (exchange, next) => {
    const startedAt = performance.now()
    exchange.onFinished = (isComplete) => {
      const record = recordOf(exchange, isComplete, performance.now() - startedAt)
      for (const observer of observers) observer.onFinished(record)
    }
    return next()
  }
}

function recordOf(exchange: Exchange, isComplete: boolean, durationMs: number) {
  const { visitor, status, failure, requestBytes, responseBytes } = exchange
  const { method, host, target } = exchange.request
  const tunnelId = exchange.tunnel?.id
  const accountId = exchange.tunnel?.accountId ?? exchange.route?.accountId
  return {
    visitor,
    method,
    host,
    target,
    status,
    failure,
    isComplete,
    requestBytes,
    responseBytes,
    durationMs,
    tunnelId,
    accountId,
  }
}
