/** How a try to hold a session ended. */
export type SessionEnding =
  /** Never got as far as a session: no name, no route, no TLS, or something else answered. */
  | { readonly kind: 'unreachable'; readonly retryAfterMs: number | null }
  /** The host is there and nobody listens: most likely the service is being started again. */
  | { readonly kind: 'not_listening' }
  /** The service's certificate is not valid yet: the clock of this device is wrong. */
  | { readonly kind: 'clock_suspect' }
  /** The service said no to the hello. */
  | { readonly kind: 'refused'; readonly isRetryable: boolean; readonly retryAfterMs: number }
  /** A session ended; with a hint when the service went away on purpose. */
  | { readonly kind: 'lost'; readonly livedMs: number; readonly retryAfterMs: number | null }

export interface RetryPlan {
  readonly delayMs: number
  /** Failures in a row, for the next call. */
  readonly failures: number
}

const firstDelayMs = 500
const delayMaxMs = 30_000
const notListeningDelayMaxMs = 10_000
const delayMinMs = 100
const healthyAfterMs = 60_000
const healthyDelayMaxMs = 2000
const clockDelayMs = 5000
const refusedDelayMs = { min: 60_000, max: 300_000 }
const hintMaxMs = 300_000

/**
 * When to try again: for ever, with full jitter so that a fleet does not come back in step, and never in more than
 * 30 seconds unless the service says so or refuses who we are.
 * @param random in [0, 1)
 */
export function planRetry(ending: SessionEnding, failures: number, random: number): RetryPlan {
  switch (ending.kind) {
    case 'clock_suspect':
      return { delayMs: clockDelayMs, failures: failures + 1 }
    case 'not_listening':
      return { delayMs: backoff(failures, random, notListeningDelayMaxMs), failures: failures + 1 }
    case 'refused':
      return { delayMs: refusedDelay(ending, failures, random), failures: failures + 1 }
    case 'lost':
      return planAfterLoss(ending, failures, random)
    case 'unreachable':
      return { delayMs: atLeastHint(backoff(failures, random), ending.retryAfterMs), failures: failures + 1 }
  }
}

function planAfterLoss(ending: SessionEnding & { kind: 'lost' }, failures: number, random: number): RetryPlan {
  const isHealthy = ending.livedMs >= healthyAfterMs
  const delayMs = isHealthy ? Math.max(delayMinMs, random * healthyDelayMaxMs) : backoff(failures, random)
  // The service spreads its hints over its agents already.
  const hinted = ending.retryAfterMs === null ? delayMs : clamp(ending.retryAfterMs, delayMinMs, hintMaxMs)
  return { delayMs: hinted, failures: isHealthy ? 0 : failures + 1 }
}

/** A token may be replaced or allowed again at any time, so even a final no is asked again, seldom. */
function refusedDelay(ending: SessionEnding & { kind: 'refused' }, failures: number, random: number): number {
  const { min, max } = refusedDelayMs
  const delayMs = ending.isRetryable ? backoff(failures, random) : min + random * (max - min)
  return atLeastHint(delayMs, ending.retryAfterMs)
}

function backoff(failures: number, random: number, maxMs = delayMaxMs): number {
  return Math.max(delayMinMs, random * Math.min(maxMs, firstDelayMs * 2 ** Math.min(failures, 16)))
}

function atLeastHint(delayMs: number, hintMs: number | null): number {
  return Math.max(delayMs, Math.min(hintMs ?? 0, hintMaxMs))
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}
