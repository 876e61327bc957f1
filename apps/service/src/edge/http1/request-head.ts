import type { HeaderList } from '../headers/header-list.ts'

/** What is written to the upstream: the parts of a request that is already checked. */
export interface RequestHead {
  readonly method: string
  /** Origin form (`/path?query`) or `*`. */
  readonly target: string
  readonly host: string
  readonly headers: HeaderList
  /** What the visitor asked for and where it is, whatever a policy made of it since. */
  readonly forwarded: { readonly for: string; readonly host: string; readonly proto: 'http' | 'https' }
  readonly body: 'none' | 'chunked' | number
  readonly expectsContinue: boolean
  readonly acceptsTrailers: boolean
  readonly upgrade: string | undefined
}

// oxlint-disable-next-line no-control-regex -- the point is to find control characters
const breaksTheLine = /[\0\r\n]/

/**
 * The head as bytes (RFC 9112). It is always written from parsed parts, so that the upstream cannot see another request
 * than the edge did. Throws when a part would break a line: no parser lets that through, and no policy may add it.
 */
export function serialiseRequestHead(head: RequestHead): Buffer {
  let lines = `${head.method} ${head.target} HTTP/1.1\r\nHost: ${head.host}\r\n`
  const { headers } = head
  for (let i = 0; i < headers.length; i += 2) lines += fieldLine(headers[i] ?? '', headers[i + 1] ?? '')
  lines += fieldLine('X-Forwarded-For', head.forwarded.for)
  lines += `X-Forwarded-Host: ${head.forwarded.host}\r\nX-Forwarded-Proto: ${head.forwarded.proto}\r\n`
  return Buffer.from(`${lines}${connectionLines(head)}${framingLines(head)}\r\n`, 'latin1')
}

/** What the edge vouches for, as headers for upstreams that speak HTTP/2. */
export function forwardedHeaders({ forwarded }: RequestHead): HeaderList {
  return ['x-forwarded-for', forwarded.for, 'x-forwarded-host', forwarded.host, 'x-forwarded-proto', forwarded.proto]
}

/** One header or trailer line. */
export function fieldLine(name: string, value: string): string {
  if (breaksTheLine.test(value) || breaksTheLine.test(name)) throw new Error('a header would break its line')
  return `${name}: ${value}\r\n`
}

function framingLines(head: RequestHead): string {
  const expect = head.expectsContinue && head.body !== 'none' ? 'Expect: 100-continue\r\n' : ''
  if (head.body === 'none') return expect
  return head.body === 'chunked'
    ? `${expect}Transfer-Encoding: chunked\r\n`
    : `${expect}Content-Length: ${head.body}\r\n`
}

function connectionLines(head: RequestHead): string {
  if (head.upgrade !== undefined) return `Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`
  return head.acceptsTrailers ? 'TE: trailers\r\nConnection: TE\r\n' : ''
}
