import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { planRetry } from './reconnect-policy.ts'

const unreachable = { kind: 'unreachable', retryAfterMs: null } as const
const random = fc.double({ min: 0, max: 0.999_999, noNaN: true })

it('never waits longer than 30 seconds for a network, after any number of failures', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), random, (failures, draw) => {
      const { delayMs } = planRetry(unreachable, failures, draw)
      expect(delayMs).toBeGreaterThanOrEqual(100)
      expect(delayMs).toBeLessThanOrEqual(30_000)
    }),
  )
})

it('is back within 10 seconds after a service that was started again, however long it was away', () => {
  fc.assert(
    fc.property(fc.nat({ max: 100_000 }), random, (failures, draw) => {
      expect(planRetry({ kind: 'not_listening' }, failures, draw).delayMs).toBeLessThanOrEqual(10_000)
    }),
  )
})

it('spreads the whole range: of 1000 agents that lost one service, few come back together', () => {
  const lost = { kind: 'lost', livedMs: 3_600_000, retryAfterMs: null } as const
  const delays = Array.from({ length: 1000 }, (_, n) => planRetry(lost, 0, n / 1000).delayMs)
  const perQuarterSecond = Object.values(Object.groupBy(delays, (delayMs) => Math.floor(delayMs / 250)))
  expect(Math.max(...perQuarterSecond.map((group = []) => group.length))).toBeLessThan(200)
  expect(Math.max(...delays)).toBeLessThan(2000)
})

it('grows until a session has lasted a minute', () => {
  let failures = 0
  for (const livedMs of [10, 59_000]) {
    failures = planRetry({ kind: 'lost', livedMs, retryAfterMs: null }, failures, 0.5).failures
  }
  expect(failures).toBe(2)
  expect(planRetry({ kind: 'lost', livedMs: 60_000, retryAfterMs: null }, failures, 0.5).failures).toBe(0)
})

it.each([
  [{ kind: 'lost', livedMs: 60_000, retryAfterMs: 45_000 } as const, 45_000],
  [{ kind: 'lost', livedMs: 60_000, retryAfterMs: 86_400_000 } as const, 300_000],
  [{ kind: 'unreachable', retryAfterMs: 40_000 } as const, 40_000],
  [{ kind: 'refused', isRetryable: true, retryAfterMs: 70_000 } as const, 70_000],
  [{ kind: 'refused', isRetryable: false, retryAfterMs: 0 } as const, 60_000],
  [{ kind: 'clock_suspect' } as const, 5000],
])('%j waits %i ms at least', (ending, delayMs) => {
  expect(planRetry(ending, 5, 0).delayMs).toBe(delayMs)
})
