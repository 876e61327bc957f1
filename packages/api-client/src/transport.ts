import { ApiError, type ErrorReply } from './api-error.ts'

const defaultTimeLimitMs = 30_000

/** Where the API is and who calls it. */
export interface ApiClientOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  /** For each request. */
  readonly timeLimitMs?: number
  /** Stands in for the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Sends requests in the form that the API wants, and reads its replies. */
export class Transport {
  readonly #options: ApiClientOptions

  constructor(options: ApiClientOptions) {
    this.#options = options
  }

  /** Resolves to the decoded body, undefined when there is none. Throws `ApiError` for every failure that the API tells. */
  async send(method: string, path: string, body?: unknown): Promise<unknown> {
    const { baseUrl, apiKey, timeLimitMs = defaultTimeLimitMs, fetch: send = fetch } = this.#options
    const response = await send(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        'service-version': '2',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeLimitMs),
    })
    const text = await response.text()
    if (!response.ok) throw new ApiError(response.status, readError(text))
    return text === '' ? undefined : JSON.parse(text)
  }
}

/** Something in between may have answered, and not in JSON. */
function readError(text: string): ErrorReply {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}
