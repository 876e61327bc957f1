import { ServiceError } from '@tunnel/models'
import type { HeaderList } from '../headers/header-list.ts'
import { malformed, readRequestHeaders, type RequestHeaders } from '../headers/request-headers.ts'
import { hostNameOf } from '../host-name.ts'
import type { RequestHead } from '../http1/request-head.ts'
import type { Visitor } from './visitor.ts'

/** A request that is safe to route and to forward: checked, with hop-by-hop headers taken away. */
export interface VisitorRequest extends RequestHead {
  /** Lower-case, without port: what the request is routed by. */
  readonly hostName: string
  readonly version: '1.0' | '1.1' | '2.0'
}

/** What a parser (llhttp, nghttp2) has read of a request. */
export interface ReceivedRequest {
  readonly method: string
  readonly target: string
  readonly rawHeaders: HeaderList
  /** `:authority` of HTTP/2. */
  readonly authority: string | undefined
  readonly version: '1.0' | '1.1' | '2.0' | 'other'
  /** Size of all headers; 0 when the parser has its own bound. */
  readonly headBytes: number
  /** The message ended with its head (HTTP/2 only; HTTP/1.1 says it by its headers). */
  readonly hasEnded: boolean
}

const methodToken = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}$/
const originForm = /^\/[\x21\x22\x24-\x7e]*$/
const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i
const refusedMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])

/** Bounds of a request's head. */
export interface RequestBounds {
  readonly requestHeadMaxBytes: number
  readonly requestHeadersMaxCount: number
}

/** Checks a request and sorts its parts. Throws ServiceError `http_malformed`, `method_not_offered`, `request_headers_too_large`. */
export function readRequest(received: ReceivedRequest, visitor: Visitor, bounds: RequestBounds): VisitorRequest {
  if (received.version === 'other') throw malformed('the version is not 1.0 or 1.1')
  checkMethod(received.method)
  if (isTooLarge(received, bounds)) throw new ServiceError('request_headers_too_large')
  const headers = readRequestHeaders(received.rawHeaders)
  const host = authorityOf(received, headers.hosts)
  const hostName = hostNameOf(host)
  if (hostName === undefined) throw malformed('Host is not a host name')
  return {
    method: received.method,
    target: targetOf(received, hostName),
    host,
    hostName,
    headers: headers.endToEnd,
    version: received.version,
    forwarded: { for: forwardedFor(headers, visitor), host, proto: visitor.isSecure ? 'https' : 'http' },
    body: bodyOf(received, headers),
    expectsContinue: headers.expectsContinue,
    acceptsTrailers: headers.acceptsTrailers,
    upgrade: undefined,
  }
}

function isTooLarge({ rawHeaders, headBytes }: ReceivedRequest, bounds: RequestBounds): boolean {
  return rawHeaders.length > 2 * bounds.requestHeadersMaxCount || headBytes > bounds.requestHeadMaxBytes
}

function checkMethod(method: string): void {
  if (!methodToken.test(method)) throw malformed('the method is not a token')
  if (refusedMethods.has(method)) throw new ServiceError('method_not_offered', { method })
}

function forwardedFor(headers: RequestHeaders, visitor: Visitor): string {
  return headers.forwardedFor === undefined ? visitor.ip : `${headers.forwardedFor}, ${visitor.ip}`
}

function authorityOf({ authority }: ReceivedRequest, hosts: readonly string[]): string {
  const [host] = hosts
  if (hosts.length > 1) throw malformed('more than one Host')
  if (authority !== undefined && host !== undefined && host !== authority) throw malformed('Host and :authority differ')
  const either = authority ?? host
  if (either === undefined) throw malformed('Host is missing')
  return either
}

/** The origin form of the target (RFC 9112 3.2); an absolute form must name the Host. */
function targetOf({ target, method }: ReceivedRequest, hostName: string): string {
  if (originForm.test(target) || (target === '*' && method === 'OPTIONS')) return target
  const [, authority, rest] = absoluteForm.exec(target) ?? []
  if (authority === undefined || rest === undefined) throw malformed('the target is not a path')
  if (hostNameOf(authority) !== hostName) throw malformed('the target and Host name different authorities')
  const path = rest.startsWith('/') ? rest : `/${rest}`
  if (!originForm.test(path)) throw malformed('the target is not a path')
  return path
}

function bodyOf({ version, hasEnded }: ReceivedRequest, headers: RequestHeaders): RequestHead['body'] {
  const { contentLength, isChunked } = headers
  if (version !== '2.0') {
    if (isChunked && version === '1.0') throw malformed('Transfer-Encoding in HTTP/1.0')
    return isChunked ? 'chunked' : (contentLength ?? 'none')
  }
  if (isChunked) throw malformed('Transfer-Encoding in HTTP/2')
  if (hasEnded && (contentLength ?? 0) > 0) throw malformed('Content-Length does not match the body')
  return contentLength ?? (hasEnded ? 'none' : 'chunked')
}
