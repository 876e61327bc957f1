import type { MuxStream, StreamEnding, StreamSink } from '@tunnel/session-protocol'
import type { HeaderList } from '../headers/header-list.ts'
import { encodeChunk, encodeLastChunk } from '../http1/chunk-encoding.ts'
import { type RequestHead, serialiseRequestHead } from '../http1/request-head.ts'
import { ResponseSyntaxError } from '../http1/response-head.ts'
import { type ResponseBounds, ResponseParser } from '../http1/response-parser.ts'
import type { UpstreamExchange, UpstreamFailure, UpstreamListener } from './upstream-exchange.ts'

/** Who keeps connections between exchanges. */
export interface ConnectionKeeper {
  /** The exchange is over, and the connection may carry another one. */
  keep(connection: UpstreamConnection): void
  /** The connection cannot be used any more. */
  forget(connection: UpstreamConnection): void
}

/** HTTP/1.1 to one upstream over one stream: one exchange at a time, or raw bytes after an upgrade. */
export class UpstreamConnection implements UpstreamExchange, StreamSink {
  readonly #stream: MuxStream
  readonly #parser: ResponseParser
  readonly #keeper: ConnectionKeeper
  #listener: UpstreamListener | undefined
  #successor: StreamSink | undefined
  #isChunked = false
  #isRequestSent = false
  #isResponseComplete = false
  #hasPeerEnded = false
  #isPaused = false
  #isReleased = false
  #exchanges = 0

  constructor(stream: MuxStream, bounds: ResponseBounds, keeper: ConnectionKeeper) {
    this.#stream = stream
    this.#keeper = keeper
    this.#parser = new ResponseParser(bounds, {
      onInterim: (head) => this.#listener?.onInterim(head),
      onHead: (head) => this.#listener?.onHead(head),
      onBody: (chunk) => this.#listener?.onBody(chunk),
      onUpgrade: (head, rest) => this.#listener?.onUpgrade(head, rest, (successor) => this.#handOver(successor)),
      onComplete: (trailers) => {
        this.#isResponseComplete = true
        this.#listener?.onComplete(trailers)
      },
    })
    stream.attach(this)
  }

  get isReused(): boolean {
    return this.#exchanges > 1
  }

  get hasResponseBytes(): boolean {
    return this.#parser.hasBytes
  }

  send(request: RequestHead, listener: UpstreamListener): void {
    this.#exchanges += 1
    this.#listener = listener
    this.#isChunked = request.body === 'chunked'
    this.#isRequestSent = false
    this.#parser.expect({ isHead: request.method === 'HEAD', mayUpgrade: request.upgrade !== undefined })
    this.#stream.write(serialiseRequestHead(request))
  }

  sendBody(chunk: Buffer): boolean {
    if (!this.#isChunked) return this.#write(chunk)
    let mayContinue = true
    for (const piece of encodeChunk(chunk)) mayContinue = this.#write(piece)
    return mayContinue
  }

  finishRequest(trailers: HeaderList): void {
    if (this.#isChunked) this.#write(encodeLastChunk(trailers))
    this.#isRequestSent = true
  }

  pause(): void {
    this.#isPaused = true
    this.#stream.pause()
  }

  resume(): void {
    if (!this.#isPaused) return
    // First the fact, then the bytes: they come at once, and may pause again.
    this.#isPaused = false
    this.#stream.resume()
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#listener = undefined
    this.#keeper.forget(this)
    if (this.#hasPeerEnded && this.#isRequestSent) this.#stream.end()
    else this.#stream.reset('cancelled')
  }

  onData(chunk: Buffer): void {
    if (this.#successor !== undefined) return this.#successor.onData(chunk)
    // Bytes that no request asked for: the next response on this connection could not be trusted.
    if (this.#listener === undefined) return this.release()
    this.#parse(() => this.#parser.push(chunk))
    this.#listener?.onBatchEnd()
    this.#settle()
  }

  onEnd(): void {
    if (this.#successor !== undefined) return this.#successor.onEnd()
    this.#hasPeerEnded = true
    if (this.#listener !== undefined) this.#parse(() => this.#parser.finish())
    this.#settle()
    this.release()
  }

  onDrain(): void {
    if (this.#successor !== undefined) return this.#successor.onDrain()
    this.#listener?.onDrain()
  }

  onClose(ending: StreamEnding): void {
    this.#isReleased = true
    this.#keeper.forget(this)
    if (this.#successor !== undefined) return this.#successor.onClose(ending)
    this.#fail(ending.kind === 'finished' ? { kind: 'closed' } : ending)
  }

  #write(piece: Buffer): boolean {
    return this.#isReleased || this.#stream.write(piece)
  }

  /** After a 101: the stream now belongs to `successor`, which gets everything that comes from here on. */
  #handOver(successor: StreamSink): MuxStream {
    this.#listener = undefined
    this.#successor = successor
    this.#keeper.forget(this)
    return this.#stream
  }

  #parse(step: () => void): void {
    try {
      step()
    } catch (error) {
      if (!(error instanceof ResponseSyntaxError)) throw error
      this.#fail(this.#parser.hasBytes ? { kind: 'invalid', rule: error.rule } : { kind: 'closed' })
      this.release()
    }
  }

  /** After a complete response: ready for the next request, unless the upstream closes or this one was not read to its end. */
  #settle(): void {
    if (!this.#isResponseComplete) return
    this.#isResponseComplete = false
    this.#listener = undefined
    if (!this.#isRequestSent || !this.#parser.isReusable) return this.release()
    this.resume()
    this.#keeper.keep(this)
  }

  #fail(failure: UpstreamFailure): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.onFailure(failure)
  }
}
