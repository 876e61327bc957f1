import { hopByHopNames, namedAway, withoutNamed } from '../headers/hop-by-hop.ts'
import type { HeaderList } from '../headers/header-list.ts'

/** The upstream does not speak HTTP/1.1 as RFC 9112 has it; `rule` says which rule it broke. */
export class ResponseSyntaxError extends Error {
  override readonly name = 'ResponseSyntaxError'
  readonly rule: string

  constructor(rule: string) {
    super(rule)
    this.rule = rule
  }
}

/** The head of an upstream's response: end-to-end headers apart from what concerns this connection. */
export interface ResponseHead {
  readonly status: number
  readonly reason: string
  readonly headers: string[]
}

/** How the message is framed on its connection (RFC 9112 6). */
export interface ResponseFraming {
  readonly contentLength: number | undefined
  readonly isChunked: boolean
  /** The upstream keeps the connection open for another exchange. */
  readonly keepsAlive: boolean
  readonly upgrade: string | undefined
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// oxlint-disable-next-line no-control-regex -- the point is to find control characters
const forbiddenInValue = /[\0-\x08\x0a-\x1f\x7f]/

/** Parses a head without its last empty line. `text` holds one byte per character. Throws ResponseSyntaxError. */
export function parseResponseHead(text: string, headersMaxCount: number): ResponseHead & ResponseFraming {
  const lines = text.split('\r\n')
  const match = statusLine.exec(lines[0] ?? '')
  if (match === null) throw new ResponseSyntaxError('malformed status line')
  if (lines.length - 1 > headersMaxCount) throw new ResponseSyntaxError('too many headers')
  const reader = new ResponseHeadReader(Number(match[2]), match[3] ?? '', match[1] === '1')
  for (let i = 1; i < lines.length; i++) addFieldLine(lines[i] ?? '', reader)
  return reader.finish()
}

interface FieldReceiver {
  add(name: string, value: string): void
}

/** Splits a header line (RFC 9112 5): no space before the colon, no folding, no control characters. */
function addFieldLine(line: string, receiver: FieldReceiver): void {
  const colon = line.indexOf(':')
  const name = line.slice(0, colon)
  if (colon < 1 || !fieldName.test(name)) throw new ResponseSyntaxError('malformed header name')
  const value = line.slice(colon + 1).trim()
  if (forbiddenInValue.test(value)) throw new ResponseSyntaxError('control character in a header')
  receiver.add(name, value)
}

/** Parses the trailer section of a chunked body. */
export function parseTrailers(text: string, headersMaxCount: number): HeaderList {
  if (text === '') return []
  const lines = text.split('\r\n')
  if (lines.length > headersMaxCount) throw new ResponseSyntaxError('too many trailers')
  const trailers: string[] = []
  for (const line of lines) addFieldLine(line, { add: (name, value) => trailers.push(name, value) })
  return trailers
}

class ResponseHeadReader implements ResponseHead, ResponseFraming, FieldReceiver {
  readonly status: number
  readonly reason: string
  headers: string[] = []
  contentLength: number | undefined
  isChunked = false
  keepsAlive: boolean
  upgrade: string | undefined
  #namedAway: readonly string[] | null = null

  constructor(status: number, reason: string, keepsAlive: boolean) {
    this.status = status
    this.reason = reason
    this.keepsAlive = keepsAlive
  }

  add(name: string, value: string): void {
    const lowerCase = name.toLowerCase()
    if (hopByHopNames.has(lowerCase)) return this.#interpret(lowerCase, value)
    if (lowerCase === 'content-length') this.#takeLength(value)
    this.headers.push(name, value)
  }

  finish(): ResponseHead & ResponseFraming {
    if (this.isChunked && this.contentLength !== undefined)
      throw new ResponseSyntaxError('both Content-Length and Transfer-Encoding')
    this.headers = withoutNamed(this.headers, this.#namedAway)
    return this
  }

  #interpret(lowerCase: string, value: string): void {
    if (lowerCase === 'transfer-encoding') this.#takeEncoding(value)
    else if (lowerCase === 'upgrade') this.upgrade = value
    else if (lowerCase === 'connection') {
      this.#namedAway = namedAway(value, this.#namedAway)
      if (/\bclose\b/i.test(value)) this.keepsAlive = false
    }
  }

  #takeLength(value: string): void {
    if (this.contentLength !== undefined) throw new ResponseSyntaxError('more than one Content-Length')
    if (!/^\d{1,15}$/.test(value)) throw new ResponseSyntaxError('Content-Length is not a number')
    this.contentLength = Number(value)
  }

  #takeEncoding(value: string): void {
    if (this.isChunked || value.toLowerCase() !== 'chunked')
      throw new ResponseSyntaxError('Transfer-Encoding other than chunked')
    this.isChunked = true
  }
}
