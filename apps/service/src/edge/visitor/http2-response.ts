import type { ServerHttp2Stream } from 'node:http2'
import { constants } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import { headerObject } from '../http2/header-object.ts'
import { noObserver, type ResponseCounter, type ResponseObserver, type VisitorResponse } from './visitor-response.ts'
import type { Visitor } from './visitor.ts'

/** A response over one stream of HTTP/2. */
export class Http2Response implements VisitorResponse {
  observer: ResponseObserver = noObserver
  readonly #stream: ServerHttp2Stream
  #head: ResponseHead | undefined
  #trailers: HeaderList = []

  constructor(stream: ServerHttp2Stream, visitor: Visitor, counter: ResponseCounter) {
    this.#stream = stream
    stream.on('drain', () => this.observer.onDrain())
    stream.on('close', () => {
      this.observer.onClose(stream.rstCode === constants.NGHTTP2_NO_ERROR)
      counter.onResponseClosed(visitor)
    })
  }

  sendInterim(head: ResponseHead): void {
    if (!this.#isOpen || this.#stream.headersSent) return
    this.#stream.additionalHeaders({ ':status': head.status, ...headerObject(head.headers) })
  }

  start(head: ResponseHead): void {
    this.#head = head
  }

  flush(): void {
    this.#respond(false)
  }

  write(chunk: Buffer): boolean {
    this.#respond(false)
    return !this.#isOpen || this.#stream.write(chunk)
  }

  end(lastChunk: Buffer | undefined, trailers: HeaderList): void {
    this.#trailers = trailers
    const isEmpty = lastChunk === undefined && trailers.length === 0
    this.#respond(isEmpty)
    if (!this.#isOpen) return
    this.#stream.end(lastChunk)
  }

  abort(http2Code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
    if (this.#isOpen) this.#stream.close(http2Code)
  }

  switchProtocols(): Duplex {
    throw new Error('HTTP/2 has no upgrade')
  }

  takeConnection(): Socket {
    throw new Error('HTTP/2 has no upgrade')
  }

  get #isOpen(): boolean {
    return !this.#stream.destroyed && !this.#stream.closed
  }

  #respond(endStream: boolean): void {
    const head = this.#head
    if (head === undefined || !this.#isOpen) return
    this.#head = undefined
    this.#stream.respond(
      { ':status': head.status, ...headerObject(head.headers) },
      { endStream, waitForTrailers: !endStream },
    )
    if (!endStream) this.#stream.once('wantTrailers', () => this.#sendTrailers())
  }

  #sendTrailers(): void {
    if (this.#isOpen) this.#stream.sendTrailers(headerObject(this.#trailers))
  }
}
