import type { RenewalInfo } from '../acme/renewal-info.ts'

export interface Validity {
  readonly notBeforeMs: number
  readonly notAfterMs: number
}

const shortLifeMs = 10 * 86_400_000

/** When to renew without a word of the authority: with a third of the life left, half of a short one. */
export function fallbackRenewalMs({ notBeforeMs, notAfterMs }: Validity): number {
  const lifeMs = notAfterMs - notBeforeMs
  return notAfterMs - Math.round(lifeMs < shortLifeMs ? lifeMs / 2 : lifeMs / 3)
}

/** However late an authority suggests to renew: after this a certificate could run out before its renewal succeeds. */
export function latestRenewalMs({ notBeforeMs, notAfterMs }: Validity): number {
  return notAfterMs - Math.round((notAfterMs - notBeforeMs) / 10)
}

/**
 * One instant within the window that the authority suggests, kept as long as it lies in the window (RFC 9773 4.2):
 * so all its clients spread out. A window that has passed gives a time that has passed.
 */
export function plannedRenewalMs(
  { startMs, endMs }: Pick<RenewalInfo, 'startMs' | 'endMs'>,
  currentMs: number | null,
  random: number,
): number {
  if (currentMs !== null && currentMs >= startMs && currentMs <= endMs) return currentMs
  return Math.floor(startMs + random * (endMs - startMs))
}
