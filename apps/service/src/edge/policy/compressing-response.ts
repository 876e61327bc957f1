import type { Transform } from 'node:stream'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { constants, createBrotliCompress, createDeflate, createGzip } from 'node:zlib'
import type { ContentCoding } from '@tunnel/policy-engine'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { ResponseObserver, VisitorResponse } from '../visitor/visitor-response.ts'

/** Fast settings: Node's default for brotli compresses a megabyte in a second. */
const compressors: Readonly<Record<ContentCoding, () => Transform & { flush(): void }>> = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 }),
  deflate: () => createDeflate({ level: 6 }),
}

/** Encodes a body on its way to the visitor, and hands pressure back to who writes. */
export class CompressingResponse implements VisitorResponse {
  observer: ResponseObserver
  readonly #target: VisitorResponse
  readonly #compressor: Transform & { flush(): void }
  #trailers: HeaderList = []
  #isFlushDue = false

  constructor(target: VisitorResponse, coding: ContentCoding) {
    this.#target = target
    this.observer = target.observer
    this.#compressor = compressors[coding]()
    target.observer = {
      onDrain: () => this.#compressor.resume(),
      onClose: (isComplete) => {
        this.#compressor.destroy()
        this.observer.onClose(isComplete)
      },
    }
    this.#compressor.on('data', (chunk: Buffer) => {
      if (!target.write(chunk)) this.#compressor.pause()
    })
    this.#compressor.on('drain', () => this.observer.onDrain())
    this.#compressor.on('end', () => target.end(undefined, this.#trailers))
    this.#compressor.on('error', () => target.abort())
  }

  sendInterim(head: ResponseHead): void {
    this.#target.sendInterim(head)
  }

  start(head: ResponseHead): void {
    this.#target.start(head)
  }

  flush(): void {
    this.#target.flush()
  }

  write(chunk: Buffer): boolean {
    this.#flushSoon()
    return this.#compressor.write(chunk)
  }

  end(lastChunk: Buffer | undefined, trailers: HeaderList): void {
    this.#trailers = trailers
    this.#compressor.end(lastChunk)
  }

  abort(http2Code?: number): void {
    this.#compressor.destroy()
    this.#target.abort(http2Code)
  }

  switchProtocols(head: Parameters<VisitorResponse['switchProtocols']>[0]): Duplex {
    return this.#target.switchProtocols(head)
  }

  takeConnection(): Socket {
    return this.#target.takeConnection()
  }

  /** What arrived together leaves together: a slow upstream's visitor does not wait for a full buffer. */
  #flushSoon(): void {
    if (this.#isFlushDue) return
    this.#isFlushDue = true
    setImmediate(() => {
      this.#isFlushDue = false
      if (!this.#compressor.writableEnded && !this.#compressor.destroyed) this.#compressor.flush()
    })
  }
}
