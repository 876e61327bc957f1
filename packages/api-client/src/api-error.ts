/** A reply of the API that says why a request was not done. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status. */
  readonly status: number
  /** Such as `ERR_SERVICE_215`; null where the API gives none, as for a resource that does not exist. */
  readonly code: string | null
  readonly details: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorReply) {
    super(body.msg ?? `The API answered with status ${status}.`)
    this.status = status
    this.code = body.error_code ?? null
    this.details = body.details ?? {}
  }

  get isNotFound(): boolean {
    return this.status === 404
  }

  /** The number at the end of the code. */
  hasNumber(number: number): boolean {
    return this.code?.endsWith(`_${number}`) ?? false
  }
}

/** The body of a failed request, as far as it could be read. */
export interface ErrorReply {
  readonly error_code?: string
  readonly msg?: string
  readonly details?: Readonly<Record<string, string>>
}
