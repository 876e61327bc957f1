import { ServiceError } from '@tunnel/models'
import type { SessionError } from '@tunnel/session-protocol'

/** A failure as agents see it. Anything but a `ServiceError` is ours alone, and tells nothing. */
export function toSessionError(error: unknown): SessionError {
  const known = serviceErrorOf(error)
  if (!known) return internalError
  const { code, retryable } = known.definition
  return { code, reason: known.reason, message: known.message, retryable }
}

/** The error when it has a row in the catalogue, otherwise null. */
export function serviceErrorOf(error: unknown): ServiceError | null {
  return error instanceof ServiceError ? (error as ServiceError) : null
}

const internalError: SessionError = {
  code: null,
  reason: 'internal_error',
  message: 'The service failed. It was logged; try again shortly.',
  retryable: true,
}
