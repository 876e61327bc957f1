import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { MuxStream, StreamEnding, StreamSink } from '@tunnel/session-protocol'

/** What went over a connection, for the log. */
export interface ByteTally {
  requestBytes: number
  responseBytes: number
}

/** A visitor's connection and a stream, joined: bytes, half-close, back-pressure and resets go through both ways. */
export class Splice implements StreamSink {
  readonly #socket: Duplex
  readonly #tally: ByteTally
  #stream: MuxStream | undefined
  #hasVisitorEnded = false
  /** The stream ended because nobody took the connection at its other end. */
  isUpstreamDown = false

  constructor(socket: Duplex, tally: ByteTally) {
    this.#socket = socket
    this.#tally = tally
  }

  /** `first` came from the stream before it was joined. */
  begin(stream: MuxStream, first: Buffer): void {
    this.#stream = stream
    if (first.length > 0) this.onData(first)
    this.#socket.on('data', (chunk: Buffer) => this.#onVisitorData(chunk))
    this.#socket.on('end', () => this.#onVisitorEnd())
    this.#socket.on('drain', () => this.#stream?.resume())
    this.#socket.on('error', () => this.#stream?.reset('cancelled'))
    this.#socket.on('close', () => this.#onVisitorClose())
    this.#socket.resume()
  }

  onData(chunk: Buffer): void {
    this.#tally.responseBytes += chunk.length
    if (!this.#socket.write(chunk)) this.#stream?.pause()
  }

  onEnd(): void {
    this.#socket.end()
  }

  onDrain(): void {
    this.#socket.resume()
  }

  onClose(ending: StreamEnding): void {
    this.#stream = undefined
    if (ending.kind === 'finished') return
    this.isUpstreamDown = ending.kind !== 'reset' || ending.code.startsWith('upstream')
    // What was cut must not look finished to the visitor.
    if (this.#socket instanceof TLSSocket || !(this.#socket instanceof Socket)) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  #onVisitorEnd(): void {
    this.#hasVisitorEnded = true
    this.#stream?.end()
  }

  /** After an orderly end, what the visitor has sent may still be on its way to the upstream. */
  #onVisitorClose(): void {
    if (!this.#hasVisitorEnded) this.#stream?.reset('cancelled')
  }

  #onVisitorData(chunk: Buffer): void {
    this.#tally.requestBytes += chunk.length
    if (this.#stream?.write(chunk) === false) this.#socket.pause()
  }
}
