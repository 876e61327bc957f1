import { assert, double, integer, property } from 'fast-check'
import { expect, it } from 'vitest'
import { retryDelayMs } from './retry-schedule.ts'

const minutes = (count: number) => count * 60_000
const schedule = { delaysMs: [minutes(1), minutes(10), minutes(100)] as const, jitter: 0.1 }

it('goes through its table and stays at the end', () => {
  const delays = [1, 2, 3, 4, 99].map((failures) => retryDelayMs(schedule, { failures, random: 0.5 }))
  expect(delays).toEqual([1, 10, 100, 100, 100].map(minutes))
})

it('spreads by its jitter and never undercuts what the other side asked for', () => {
  assert(
    property(
      integer({ min: 1, max: 9 }),
      double({ min: 0, max: 0.999, noNaN: true }),
      integer({ min: 0, max: 1e9 }),
      (failures, random, atLeastMs) => {
        const plain = retryDelayMs({ ...schedule, jitter: 0 }, { failures, random })
        const delay = retryDelayMs(schedule, { failures, random })
        expect(Math.abs(delay - plain)).toBeLessThanOrEqual(plain * 0.1 + 1)
        expect(retryDelayMs(schedule, { failures, random, atLeastMs })).toBe(Math.max(delay, atLeastMs))
      },
    ),
  )
})
