import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import type { MuxStream, StreamEnding, StreamSink } from '@tunnel/session-protocol'
import { isUnreached } from '../failures/upstream-failure.ts'
import { EarlyBytes } from './early-bytes.ts'

/** What went over a connection, for the log. */
export interface ByteTally {
  requestBytes: number
  responseBytes: number
}

/** Opens a stream in place of one that has reached nobody. Undefined: there is no other way. */
export type NextStream = () => MuxStream | undefined

const earlyMaxBytes = 16_384

/** A visitor's connection and a stream, joined: bytes, half-close, back-pressure and resets go through both ways. */
export class Splice implements StreamSink {
  readonly #socket: Duplex
  readonly #tally: ByteTally
  readonly #nextStream: NextStream
  readonly #early = new EarlyBytes(earlyMaxBytes)
  #stream: MuxStream | undefined
  #hasVisitorEnded = false
  /** The stream ended because nobody took the connection at its other end. */
  isUpstreamDown = false

  constructor(socket: Duplex, tally: ByteTally, nextStream: NextStream = () => undefined) {
    this.#socket = socket
    this.#tally = tally
    this.#nextStream = nextStream
  }

  /** `said` was read from the visitor before. */
  connect(stream: MuxStream, said: Buffer): void {
    this.begin(stream, Buffer.alloc(0))
    if (said.length > 0) this.#onVisitorData(said)
    stream.attach(this)
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
    this.#early.forget()
    this.#tally.responseBytes += chunk.length
    if (!this.#socket.write(chunk)) this.#stream?.pause()
  }

  onEnd(): void {
    this.#early.forget()
    this.#socket.end()
  }

  onDrain(): void {
    this.#socket.resume()
  }

  onClose(ending: StreamEnding): void {
    this.#stream = undefined
    if (ending.kind === 'finished' || this.#hasMoved(ending)) return
    this.isUpstreamDown = ending.kind !== 'reset' || ending.code.startsWith('upstream')
    // What was cut must not look finished to the visitor.
    cut(this.#socket)
  }

  /** Only when no program can have read what was said: nobody was reached, or nothing was said. */
  #hasMoved(ending: StreamEnding): boolean {
    const said = this.#early.chunks
    if (said === null || this.#socket.destroyed || isLocal(ending)) return false
    const stream = isUnreached(ending) || this.#early.length === 0 ? this.#nextStream() : undefined
    if (stream === undefined) return false
    this.#stream = stream
    for (const chunk of said) stream.write(chunk)
    if (this.#hasVisitorEnded) stream.end()
    this.#socket.resume()
    stream.attach(this)
    return true
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
    this.#early.add(chunk)
    if (this.#stream?.write(chunk) === false) this.#socket.pause()
  }
}

/** Ends a connection so that nobody takes what came for all of it; only bare TCP can say so. */
export function cut(connection: Duplex): void {
  if (connection instanceof TLSSocket || !(connection instanceof Socket)) connection.destroy()
  else connection.resetAndDestroy()
}

function isLocal(ending: StreamEnding): boolean {
  return ending.kind === 'reset' && ending.by === 'local'
}
