import { STATUS_CODES } from 'node:http'
import { type ClientHttp2Stream, constants } from 'node:http2'
import { StreamCut } from '@tunnel/session-protocol'
import { filterHeaders, type HeaderList } from '../headers/header-list.ts'
import { hopByHopNames } from '../headers/hop-by-hop.ts'
import { forwardedHeaders, type RequestHead } from '../http1/request-head.ts'
import { type ResponseHead, ResponseSyntaxError } from '../http1/response-head.ts'
import { headerObject } from '../http2/header-object.ts'
import type { Http2Connection } from './http2-connection.ts'
import type { UpstreamExchange, UpstreamFailure, UpstreamListener } from './upstream-exchange.ts'

const {
  NGHTTP2_CANCEL,
  NGHTTP2_ENHANCE_YOUR_CALM,
  NGHTTP2_FLAG_END_STREAM,
  NGHTTP2_NO_ERROR,
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_REFUSED_STREAM,
} = constants

/** What an upstream says about the request. All other codes are about its connection, which is none of the visitor's. */
const codesForVisitors: ReadonlySet<number> = new Set([NGHTTP2_CANCEL, NGHTTP2_ENHANCE_YOUR_CALM])

/** One exchange on a stream of HTTP/2. */
export class Http2Exchange implements UpstreamExchange {
  readonly #connection: Http2Connection
  readonly #scheme: 'http' | 'https'
  #stream: ClientHttp2Stream | undefined
  #listener: UpstreamListener | undefined
  #requestTrailers: HeaderList = []
  #responseTrailers: HeaderList | undefined
  #isReused = false
  #error: Error | undefined
  #isRequestSent = false
  #interimCount = 0
  hasResponseBytes = false

  constructor(connection: Http2Connection, scheme: 'http' | 'https') {
    this.#connection = connection
    this.#scheme = scheme
  }

  get isReused(): boolean {
    return this.#isReused
  }

  send(request: RequestHead, listener: UpstreamListener): void {
    this.#listener = listener
    const stream = this.#connection.request(requestHeaders(request, this.#scheme), request.body === 'none')
    this.#isReused = this.#connection.hasServed
    this.#stream = stream
    stream.on('headers', (...[headers, , raw]: ReceivedHeaders) => this.#step(() => this.#onInterim(headers, raw)))
    stream.on('response', (...[headers, flags, raw]: ReceivedHeaders) =>
      this.#step(() => this.#onResponse(headers, flags, raw)),
    )
    stream.on('trailers', (...[, , raw]: ReceivedHeaders) => (this.#responseTrailers = raw))
    stream.on('drain', () => this.#listener?.onDrain())
    stream.on('wantTrailers', () => stream.sendTrailers(headerObject(this.#requestTrailers)))
    // `close` always follows.
    stream.on('error', (error: Error) => (this.#error = error))
    stream.on('close', () => this.#fail(failureOf(stream.rstCode, this.#error, this.#connection.hasIntroducedItself)))
  }

  sendBody(chunk: Buffer): boolean {
    const stream = this.#stream
    return stream === undefined || !stream.writable || stream.write(chunk)
  }

  finishRequest(trailers: HeaderList): void {
    this.#isRequestSent = true
    this.#requestTrailers = trailers
    if (this.#stream?.writable === true) this.#stream.end()
  }

  pause(): void {
    this.#stream?.pause()
  }

  resume(): void {
    this.#stream?.resume()
  }

  release(): void {
    this.#listener = undefined
    const stream = this.#stream
    if (stream === undefined || stream.closed) return
    stream.close(NGHTTP2_CANCEL)
    this.#connection.noteCancelled()
    if (!this.hasResponseBytes) this.#connection.suspect()
  }

  #onInterim(headers: StatusHeaders, raw: HeaderList): void {
    this.hasResponseBytes = true
    this.#interimCount += 1
    if (this.#interimCount > this.#connection.bounds.interimMaxCount)
      throw new ResponseSyntaxError('too many interim responses')
    this.#listener?.onInterim(responseHead(headers, raw))
  }

  #onResponse(headers: StatusHeaders, flags: number, raw: HeaderList): void {
    this.hasResponseBytes = true
    const head = responseHead(headers, raw)
    if (head.status < 200 || head.status > 999) throw new ResponseSyntaxError('malformed status')
    this.#listener?.onHead(head)
    // A head that is all there is leaves together with the end.
    if ((flags & NGHTTP2_FLAG_END_STREAM) === 0) this.#listener?.onBatchEnd()
    // Only now: bytes that come together with the head would be delivered before it.
    this.#stream?.on('data', (chunk: Buffer) => this.#onData(chunk))
    this.#stream?.on('end', () => this.#onEnd())
  }

  #onData(chunk: Buffer): void {
    this.#listener?.onBody(chunk)
    this.#listener?.onBatchEnd()
  }

  /** Node also ends what was cut: only trailers, or a stream without an error, prove that the upstream has finished. */
  #onEnd(): void {
    const isWhole = this.#responseTrailers !== undefined || (this.#stream?.rstCode ?? 0) === NGHTTP2_NO_ERROR
    const listener = this.#listener
    if (!isWhole || !this.hasResponseBytes || listener === undefined) return
    this.#listener = undefined
    listener.onComplete(this.#responseTrailers ?? [])
    if (!this.#isRequestSent) this.#stream?.close(NGHTTP2_CANCEL)
  }

  #step(deliver: () => void): void {
    try {
      deliver()
    } catch (error) {
      if (!(error instanceof ResponseSyntaxError)) throw error
      this.#fail({ kind: 'invalid', rule: error.rule })
      this.#stream?.close(NGHTTP2_PROTOCOL_ERROR)
    }
  }

  #fail(failure: UpstreamFailure): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.onFailure(failure)
  }
}

/** Errors of the stream itself have a code of HTTP/2; those of its connection are passed on to every stream. */
function failureOf(code: number | undefined, error: Error | undefined, speaksHttp2: boolean): UpstreamFailure {
  if (error instanceof StreamCut && error.ending.kind !== 'finished') return error.ending
  if (code === NGHTTP2_REFUSED_STREAM) return { kind: 'unprocessed' }
  const isOfConnection = error !== undefined && 'code' in error && error.code !== 'ERR_HTTP2_STREAM_ERROR'
  if (code === NGHTTP2_PROTOCOL_ERROR || isOfConnection)
    return {
      kind: 'invalid',
      rule: speaksHttp2 ? 'malformed HTTP/2' : 'it does not speak HTTP/2, as h2c:// or h2:// says',
    }
  return code !== undefined && codesForVisitors.has(code) ? { kind: 'closed', http2Code: code } : { kind: 'closed' }
}

type StatusHeaders = { readonly ':status'?: number | undefined }
type ReceivedHeaders = [headers: StatusHeaders, flags: number, raw: HeaderList]

/** nghttp2 has checked names and values; a trailers-only reply of gRPC is a head and nothing else. */
function responseHead(headers: StatusHeaders, raw: HeaderList): ResponseHead {
  const status = headers[':status'] ?? 0
  const kept = filterHeaders(raw, (name) => !name.startsWith(':') && !hopByHopNames.has(name))
  return { status, reason: STATUS_CODES[status] ?? '', headers: kept }
}

function requestHeaders(request: RequestHead, scheme: string): HeaderList {
  const { method, target, host, headers, body, expectsContinue, acceptsTrailers } = request
  const list = [':method', method, ':scheme', scheme, ':authority', host, ':path', target]
  for (let i = 0; i < headers.length; i += 2) list.push((headers[i] ?? '').toLowerCase(), headers[i + 1] ?? '')
  list.push(...forwardedHeaders(request))
  if (typeof body === 'number') list.push('content-length', String(body))
  if (expectsContinue && body !== 'none') list.push('expect', '100-continue')
  if (acceptsTrailers) list.push('te', 'trailers')
  return list
}
