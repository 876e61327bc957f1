import { HeaderFields } from './header-fields.ts'
import { byCookieName, type Cookie, requestCookies } from './cookies.ts'
import { parseQuery, splitUrl, type UrlParts } from './url-text.ts'

/** What the host knows of a request when its head has arrived. */
export interface RequestFacts {
  readonly method: string
  readonly scheme: 'http' | 'https'
  /** Host and optional port that the visitor asked for. */
  readonly authority: string
  /** Path and query exactly as in the request line. */
  readonly target: string
  /** `1.0`, `1.1` or `2.0`. */
  readonly httpVersion: string
  /** Name, value, name, value. */
  readonly rawHeaders: readonly string[]
  readonly receivedAtMs: number
  /** Collects the body, and leaves it readable for the upstream. Rejects when it is longer. Absent: no body can be read. */
  readonly readBody?: (maxBytes: number) => Promise<Uint8Array>
}

const plainAuthority = /^[a-z\d.-]+(?::[1-9]\d{0,4})?$/

/** A request on its way through a policy: what later rules see and what goes to the upstream. */
export class RequestMessage {
  readonly facts: RequestFacts
  readonly headers: HeaderFields
  readonly #originalUrl: string
  #url: string
  #parts: UrlParts | undefined
  #query: Map<string, string[]> | undefined
  #cookies: Map<string, Cookie[]> | undefined
  #cookieSource: readonly string[] | undefined

  constructor(facts: RequestFacts) {
    this.facts = facts
    this.headers = new HeaderFields(facts.rawHeaders)
    this.#originalUrl = `${facts.scheme}://${facts.authority}${facts.target}`
    this.#url = this.#originalUrl
  }

  get originalUrl(): string {
    return this.#originalUrl
  }

  get url(): string {
    return this.#url
  }

  get isRewritten(): boolean {
    return this.#url !== this.#originalUrl
  }

  get parts(): UrlParts {
    return (this.#parts ??= this.#isPlain ? this.#unparsedParts() : (splitUrl(this.#url) ?? this.#unparsedParts()))
  }

  /** Cut at its known places, the usual address has the same parts as when it is parsed. */
  get #isPlain(): boolean {
    const { authority, target } = this.facts
    return !this.isRewritten && target.startsWith('/') && !target.includes('#') && plainAuthority.test(authority)
  }

  get queryParameters(): ReadonlyMap<string, readonly string[]> {
    return (this.#query ??= parseQuery(this.parts.query))
  }

  get cookies(): ReadonlyMap<string, readonly Cookie[]> {
    if (this.#cookies === undefined || this.#cookieSource !== this.headers.raw) {
      this.#cookieSource = this.headers.raw
      this.#cookies = byCookieName(requestCookies(this.headers.all('cookie')))
    }
    return this.#cookies
  }

  /** Replaces the address; false, and nothing changed, when the new one cannot be requested. */
  rewrite(url: string): boolean {
    const parts = splitUrl(url)
    if (!parts || parts.host === '') return false
    this.#url = url
    this.#parts = parts
    this.#query = undefined
    return true
  }

  /** The parts of an address as it arrived, also in a form of its own, such as the `*` of OPTIONS. */
  #unparsedParts(): UrlParts {
    const { scheme, authority, target } = this.facts
    const mark = target.indexOf('?')
    const path = mark < 0 ? target : target.slice(0, mark)
    const query = mark < 0 ? '' : target.slice(mark + 1)
    const colon = authority.lastIndexOf(':')
    const host = colon > authority.lastIndexOf(']') ? authority.slice(0, colon) : authority
    const port = host === authority ? undefined : Number(authority.slice(colon + 1)) || undefined
    return { scheme, userPassword: '', authority, host, port, path, query }
  }
}
