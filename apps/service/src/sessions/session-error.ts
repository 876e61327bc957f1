import { ServiceError } from '@tunnel/models'
import type { SessionError } from '@tunnel/session-protocol'

/** A failure as agents see it. Anything but a `ServiceError` is ours alone, and tells nothing. */
export function toSessionError(error: unknown): SessionError {
  if (!(error instanceof ServiceError)) return internalError
  const { code, retryable } = error.definition
  return { code, reason: error.reason, message: error.message, retryable }
}

const internalError: SessionError = {
  code: null,
  reason: 'internal_error',
  message: 'The service failed. It was logged; try again shortly.',
  retryable: true,
}
