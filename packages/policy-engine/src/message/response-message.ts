import { byCookieName, type Cookie, responseCookies } from './cookies.ts'
import { HeaderFields } from './header-fields.ts'

export type ContentCoding = 'gzip' | 'deflate' | 'br'

/** What the host knows of a response when its head has arrived. */
export interface ResponseFacts {
  readonly statusCode: number
  /** Name, value, name, value. */
  readonly rawHeaders: readonly string[]
}

/** A response on its way through a policy. */
export class ResponseMessage {
  readonly statusCode: number
  readonly headers: HeaderFields
  /** How the host has to encode the body on its way out; the headers already say so. */
  contentCoding: ContentCoding | undefined
  #cookies = new Map<string, Cookie[]>()
  #cookieSource: readonly string[] | undefined

  constructor(facts: ResponseFacts) {
    this.statusCode = facts.statusCode
    this.headers = new HeaderFields(facts.rawHeaders)
  }

  get cookies(): ReadonlyMap<string, readonly Cookie[]> {
    if (this.#cookieSource !== this.headers.raw) {
      this.#cookieSource = this.headers.raw
      this.#cookies = byCookieName(responseCookies(this.headers.all('set-cookie')))
    }
    return this.#cookies
  }
}
