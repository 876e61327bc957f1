const retryAfterMaxMs = 30 * 86_400_000

/** A Retry-After header, seconds or an HTTP date, as milliseconds from now; null when there is none that can be read. */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null
  const delayMs = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - nowMs
  return Number.isNaN(delayMs) ? null : Math.min(retryAfterMaxMs, Math.max(0, delayMs))
}
