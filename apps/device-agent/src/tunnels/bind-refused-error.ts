import { errorDefinitions } from '@tunnel/models'
import type { SessionError } from '@tunnel/session-protocol'

/** The service does not give the address that was asked for. */
export class BindRefusedError extends Error {
  override readonly name = 'BindRefusedError'
  readonly code: number | null
  readonly reason: string
  /** The HTTP status that goes with the reason. */
  readonly status: number

  constructor({ code, reason, message, retryable }: SessionError) {
    super(message)
    this.code = code
    this.reason = reason
    this.status = errorDefinitions[reason]?.status ?? (retryable ? 503 : 400)
  }
}
