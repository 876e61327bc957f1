import { ApiError, type ErrorReply } from './api-error.ts'

const defaultTimeLimitMs = 30_000

/** Where the API is and who calls it. */
export interface ApiClientOptions {
  /** Without a slash at its end; empty for the origin of the page in a browser. */
  readonly baseUrl: string
  /** Left out by pages in a browser: the cookie of their sign-in goes along instead. */
  readonly apiKey?: string
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
    const response = await this.request(path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#options.timeLimitMs ?? defaultTimeLimitMs),
    })
    const text = await response.text()
    if (!response.ok) throw new ApiError(response.status, readError(text))
    return text === '' ? undefined : JSON.parse(text)
  }

  /**
   * A request whose reply the caller reads itself. The version header is not a simple header, so no page of another
   * origin can make a browser send this with the cookie of a sign-in.
   */
  request(path: string, init: RequestInit): Promise<Response> {
    const { apiKey, fetch: send = fetch } = this.#options
    const headers = new Headers(init.headers)
    headers.set('service-version', '2')
    if (apiKey !== undefined) headers.set('authorization', `Bearer ${apiKey}`)
    return send(this.urlOf(path), { ...init, headers })
  }

  urlOf(path: string): string {
    return this.#options.baseUrl + path
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
