export type ConnectProblem =
  | 'authtoken_unreadable'
  | 'dns_failed'
  | 'connection_refused'
  | 'network_unreachable'
  | 'timeout'
  | 'tls_failed'
  | 'clock_suspect'
  | 'ca_file_unusable'
  | 'proxy_authentication_failed'
  | 'unexpected_answer'

/** The service was not reached. `message` is fit for status pages and logs. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly problem: ConnectProblem
  /** What the other side asked for in `Retry-After`. */
  readonly retryAfterMs: number | null

  constructor(problem: ConnectProblem, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}
