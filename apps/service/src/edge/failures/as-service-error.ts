import { ServiceError } from '@tunnel/models'

/** The failure that a visitor is told; what nobody foresaw becomes `edge_failure`, with its cause for the log. */
export function asServiceError(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? (error as ServiceError)
    : new ServiceError('edge_failure', {}, { cause: error })
}
