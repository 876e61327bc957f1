/** A reply of the API that is not a success, or no reply at all (`status` 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string | null
  readonly operationId: string | null

  constructor(status: number, message: string, code: string | null = null, operationId: string | null = null) {
    super(message)
    this.status = status
    this.code = code
    this.operationId = operationId
  }
}

/** Reads the error body that the API documents; a body of another form still gives a usable error. */
export function toApiError(status: number, text: string): ApiError {
  const body = parseObject(text)
  const details = typeof body['details'] === 'object' && body['details'] !== null ? body['details'] : {}
  const operationId = (details as Record<string, unknown>)['operation_id']
  return new ApiError(
    status,
    typeof body['msg'] === 'string' ? body['msg'] : `The service answered with status ${status}.`,
    typeof body['error_code'] === 'string' ? body['error_code'] : null,
    typeof operationId === 'string' ? operationId : null,
  )
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
