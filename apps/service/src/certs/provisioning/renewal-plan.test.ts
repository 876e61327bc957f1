import { expect, it } from 'vitest'
import { fallbackRenewalMs, plannedRenewalMs } from './renewal-plan.ts'

const dayMs = 86_400_000

it.each([
  [90, 60],
  [64, 42.67],
  [45, 30],
  [160 / 24, 3.33],
])('renews a certificate of %d days after %d days', (lifeDays, expectedDays) => {
  const renewsAtMs = fallbackRenewalMs({ notBeforeMs: 0, notAfterMs: lifeDays * dayMs })
  expect(renewsAtMs / dayMs).toBeCloseTo(expectedDays, 1)
})

it('draws an instant in the window once and keeps it while the window contains it', () => {
  const window = { startMs: 1_000, endMs: 2_000 }
  expect(plannedRenewalMs(window, null, 0.25)).toBe(1_250)
  expect(plannedRenewalMs(window, 1_900, 0.25)).toBe(1_900)
  expect(plannedRenewalMs(window, 2_001, 0.25)).toBe(1_250)
  expect(plannedRenewalMs({ startMs: -5_000, endMs: -4_000 }, 1_900, 0)).toBe(-5_000)
})
