import { type ErrorReason, ServiceError, parseWireTime, wireTime } from '@tunnel/models'

/** When a certificate is valid, as the API and the certificate both have it: whole seconds, the end excluded. */
export interface Validity {
  readonly valid_after: string
  readonly valid_until: string
}

/**
 * Reads the two times of a request. `defaultUntil` gives the end for a start of now, in epoch milliseconds.
 * Throws `time_invalid`, and `empty` for an end that does not come after the start.
 */
export function readValidity(
  input: Partial<Validity>,
  now: number,
  defaultUntil: (now: number) => number,
  empty: ErrorReason,
): Validity {
  const after = readTime('valid_after', input.valid_after) ?? now
  const until = readTime('valid_until', input.valid_until) ?? defaultUntil(now)
  const validity = { valid_after: wireTime(after), valid_until: wireTime(until) }
  if (validity.valid_until <= validity.valid_after) throw new ServiceError(empty as 'ssh_host_validity_empty')
  return validity
}

/** The same day and time of the next year; 28 February for the 29th. */
export function oneYearLater(epochMs: number): number {
  const start = new Date(epochMs)
  const later = new Date(epochMs)
  later.setUTCFullYear(start.getUTCFullYear() + 1)
  if (later.getUTCMonth() !== start.getUTCMonth()) later.setUTCDate(0)
  return later.getTime()
}

function readTime(field: keyof Validity, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const epochMs = parseWireTime(text)
  if (epochMs === null) throw new ServiceError('time_invalid', { field, problem: 'is not a timestamp' })
  if (epochMs < 0) throw new ServiceError('time_invalid', { field, problem: 'lies before 1970' })
  return epochMs
}
