import { Duplex } from 'node:stream'
import type { MuxStream, StreamEnding, StreamSink } from './mux-stream.ts'

/** The stream was cut: by a reset, or with its session. */
export class StreamCut extends Error {
  override readonly name = 'StreamCut'
  readonly ending: StreamEnding

  constructor(ending: StreamEnding) {
    super(ending.kind === 'finished' ? 'stream finished' : `stream ${ending.kind}: ${ending.message}`)
    this.ending = ending
  }
}

/**
 * A stream as a Node duplex, for TLS, HTTP/2 and piping. It attaches the stream's sink. An early end arrives as an
 * `error` event with a `StreamCut`; destroying the duplex resets the stream with `cancelled`.
 */
export function toDuplex(stream: MuxStream): Duplex {
  return new MuxDuplex(stream)
}

class MuxDuplex extends Duplex implements StreamSink {
  readonly #stream: MuxStream
  #written: (() => void) | null = null

  constructor(stream: MuxStream) {
    super({ allowHalfOpen: true })
    this.#stream = stream
    stream.attach(this)
  }

  onData(chunk: Buffer): void {
    if (!this.push(chunk)) this.#stream.pause()
  }

  onEnd(): void {
    this.push(null)
  }

  onDrain(): void {
    const written = this.#written
    this.#written = null
    written?.()
  }

  onClose(ending: StreamEnding): void {
    if (ending.kind !== 'finished') this.destroy(new StreamCut(ending))
  }

  override _read(): void {
    this.#stream.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#stream.write(chunk)) done()
    else this.#written = done
  }

  override _final(done: () => void): void {
    this.#stream.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // After an orderly end of both directions the last bytes may still wait to be sent.
    if (!this.writableFinished || !this.readableEnded) this.#stream.reset('cancelled')
    done(error)
  }
}
