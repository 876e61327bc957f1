import { ServiceError } from '@tunnel/models'
import { listMembers, type HeaderList } from './header-list.ts'
import { hopByHopNames, isForwardedName, namedAway, withoutNamed } from './hop-by-hop.ts'

/** A visitor's headers, sorted into what is passed on and what was said to the edge. */
export interface RequestHeaders {
  /** End-to-end headers; without Host, framing and everything about forwarding. */
  readonly endToEnd: string[]
  /** The Host headers in order: a valid HTTP/1.1 request has exactly one. */
  readonly hosts: readonly string[]
  readonly contentLength: number | undefined
  readonly isChunked: boolean
  readonly forwardedFor: string | undefined
  readonly upgrade: string | undefined
  readonly acceptsTrailers: boolean
  readonly expectsContinue: boolean
}

/** Reads headers that a parser has found well-formed. Throws ServiceError `http_malformed` on ambiguous framing. */
export function readRequestHeaders(raw: HeaderList): RequestHeaders {
  const reader = new RequestHeaderReader()
  for (let i = 0; i < raw.length; i += 2) reader.add(raw[i] ?? '', raw[i + 1] ?? '')
  return reader.finish()
}

/** Headers with a meaning of their own here. */
const ownNames: readonly string[] = [
  ...hopByHopNames,
  'content-length',
  'expect',
  'host',
  // Upstreams behind CGI would take it for HTTP_PROXY.
  'proxy',
]

/** What is not passed on as it is. Upstreams behind CGI fold `_` and `-`, and would see two lengths or framings. */
const ownMeaning: ReadonlySet<string> = new Set([...ownNames, ...ownNames.map((name) => name.replaceAll('-', '_'))])

class RequestHeaderReader implements RequestHeaders {
  endToEnd: string[] = []
  readonly hosts: string[] = []
  contentLength: number | undefined
  isChunked = false
  forwardedFor: string | undefined
  upgrade: string | undefined
  acceptsTrailers = false
  expectsContinue = false
  #namedAway: readonly string[] | null = null

  add(name: string, value: string): void {
    const lowerCase = name.toLowerCase()
    if (ownMeaning.has(lowerCase)) this.#interpret(lowerCase, value)
    else if (!isForwardedName(lowerCase)) this.endToEnd.push(name, value)
    else if (lowerCase === 'x-forwarded-for') this.forwardedFor = joined(this.forwardedFor, value)
  }

  finish(): RequestHeaders {
    if (this.isChunked && this.contentLength !== undefined) throw malformed('both Content-Length and Transfer-Encoding')
    this.endToEnd = withoutNamed(this.endToEnd, this.#namedAway)
    return this
  }

  #interpret(lowerCase: string, value: string): void {
    switch (lowerCase) {
      case 'host':
        this.hosts.push(value)
        break
      case 'content-length':
        this.contentLength = lengthOf(value, this.contentLength)
        break
      case 'transfer-encoding':
        if (this.isChunked || value.toLowerCase() !== 'chunked') throw malformed('Transfer-Encoding other than chunked')
        this.isChunked = true
        break
      case 'connection':
        this.#namedAway = namedAway(value, this.#namedAway)
        break
      case 'upgrade':
        this.upgrade = joined(this.upgrade, value)
        break
      case 'te':
        this.acceptsTrailers ||= listMembers(value).includes('trailers')
        break
      case 'expect':
        this.expectsContinue = true
        break
      default:
    }
  }
}

function lengthOf(value: string, earlier: number | undefined): number {
  if (earlier !== undefined) throw malformed('more than one Content-Length')
  const length = /^\d{1,15}$/.test(value) ? Number(value) : NaN
  if (!Number.isSafeInteger(length)) throw malformed('Content-Length is not a number')
  return length
}

function joined(earlier: string | undefined, value: string): string {
  return earlier === undefined ? value : `${earlier}, ${value}`
}

/** A request that could be understood in two ways, or in none. */
export function malformed(rule: string): ServiceError<'http_malformed'> {
  return new ServiceError('http_malformed', { rule })
}
