export interface RetrySchedule {
  /** Delay before the second, third, … attempt; the last one repeats. */
  readonly delaysMs: readonly [number, ...number[]]
  /** 0.1 spreads each delay over ±10 %, so that what failed together is not tried again together. */
  readonly jitter: number
}

export interface RetryInput {
  /** Failures so far, 1 or more. */
  readonly failures: number
  /** 0 ≤ n < 1. */
  readonly random: number
  /** What the other side asked for (Retry-After); never undercut. */
  readonly atLeastMs?: number
}

export function retryDelayMs(
  { delaysMs, jitter }: RetrySchedule,
  { failures, random, atLeastMs = 0 }: RetryInput,
): number {
  const delay = delaysMs[Math.min(failures, delaysMs.length) - 1] ?? delaysMs[0]
  return Math.max(atLeastMs, Math.round(delay * (1 + jitter * (2 * random - 1))))
}
