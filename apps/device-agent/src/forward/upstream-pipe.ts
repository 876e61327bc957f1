import type { Socket } from 'node:net'
import { type MuxStream, noteRead, type ResetCode, type StreamEnding, type StreamSink } from '@tunnel/session-protocol'
import { connectUpstream, type Upstream } from './upstream-connection.ts'

interface UpstreamLimits {
  /** Until the upstream has accepted, TLS handshake included. */
  readonly connectTimeoutMs: number
  /** For what is still on its way when the visitor's side has finished. */
  readonly lingerMs: number
}

const upstreamLimits: UpstreamLimits = { connectTimeoutMs: 10_000, lingerMs: 30_000 }

/** A stream on its way to an upstream, as seen by whoever may have to end it. */
export interface ForwardedStream {
  /** Whether bytes have passed since the last call. */
  takeActivity(): boolean
  /** Cuts stream and connection. */
  cut(message: string): void
}

/** Connects a stream to its upstream: raw bytes both ways, each side's pace and each side's end passed on to the other. */
export function forwardStream(
  stream: MuxStream,
  upstream: Upstream,
  onClosed: (ending: StreamEnding) => void,
  limits = upstreamLimits,
): ForwardedStream {
  const pipe = new UpstreamPipe(stream, upstream, onClosed, limits)
  stream.attach(pipe)
  return pipe
}

class UpstreamPipe implements StreamSink, ForwardedStream {
  readonly #stream: MuxStream
  readonly #socket: Socket
  readonly #onClosed: (ending: StreamEnding) => void
  readonly #limits: UpstreamLimits
  #timer: NodeJS.Timeout
  #isStreamOpen = true
  #isConnected = false
  #isActive = true
  #hasUpstreamEnded = false

  constructor(stream: MuxStream, upstream: Upstream, onClosed: (ending: StreamEnding) => void, limits: UpstreamLimits) {
    this.#stream = stream
    this.#onClosed = onClosed
    this.#limits = limits
    const { socket, readyEvent } = connectUpstream(upstream, (chunk) => this.#passOn(chunk))
    this.#socket = socket
    this.#timer = setTimeout(() => this.#fail('upstream_timeout', 'connecting took too long'), limits.connectTimeoutMs)
    socket.once(readyEvent, () => this.#onConnected())
    socket.on('drain', () => stream.resume())
    socket.on('end', () => this.#onUpstreamEnd())
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#codeOf(error), error.code ?? 'failed'))
    socket.once('close', () => this.#onUpstreamClose())
  }

  takeActivity(): boolean {
    const wasActive = this.#isActive
    this.#isActive = false
    return wasActive
  }

  cut(message: string): void {
    if (this.#isStreamOpen) this.#stream.reset('cancelled', message)
  }

  onData(chunk: Buffer): void {
    this.#isActive = true
    // The upstream has said all it had to say and wants no more; its words may still be under way.
    if (this.#socket.destroyed) return
    if (!this.#socket.write(chunk)) this.#stream.pause()
  }

  onEnd(): void {
    this.#socket.end()
  }

  onDrain(): void {
    this.#socket.resume()
  }

  onClose(ending: StreamEnding): void {
    this.#isStreamOpen = false
    clearTimeout(this.#timer)
    if (ending.kind === 'finished') this.#socket.setTimeout(this.#limits.lingerMs, () => this.#socket.destroy())
    else this.#abort()
    this.#onClosed(ending)
  }

  #onConnected(): void {
    this.#isConnected = true
    clearTimeout(this.#timer)
  }

  #passOn(chunk: Buffer): void {
    this.#isActive = true
    noteRead(chunk.length)
    if (this.#isStreamOpen && !this.#stream.write(chunk)) this.#socket.pause()
  }

  #onUpstreamEnd(): void {
    this.#hasUpstreamEnded = true
    if (this.#isStreamOpen) this.#stream.end()
  }

  /** After an orderly end the stream delivers what it still holds, and is cut only when the visitor never finishes. */
  #onUpstreamClose(): void {
    clearTimeout(this.#timer)
    if (!this.#isStreamOpen) return
    if (!this.#hasUpstreamEnded) this.#fail('upstream_lost', 'connection lost')
    else {
      this.#stream.resume()
      this.#timer = setTimeout(() => this.#fail('cancelled', 'the upstream has closed'), this.#limits.lingerMs)
    }
  }

  /** What was cut short must not look complete to the upstream: a reset and not an orderly end. */
  #abort(): void {
    if ('encrypted' in this.#socket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  #fail(code: ResetCode, message: string): void {
    const isAnswered = this.#hasUpstreamEnded && code !== 'cancelled'
    if (this.#isStreamOpen && !isAnswered) this.#stream.reset(code, message)
    this.#socket.destroy()
  }

  /** A request that was sent may have acted: the service repeats it after none but the codes for not being connected. */
  #codeOf({ code = '' }: NodeJS.ErrnoException): ResetCode {
    if (this.#isConnected) return 'upstream_lost'
    if (code === 'ECONNREFUSED') return 'upstream_refused'
    if (code === 'ETIMEDOUT') return 'upstream_timeout'
    return networkFailure.test(code) ? 'upstream_unreachable' : 'upstream_tls_failed'
  }
}

/** What else goes wrong before the connection stands is the TLS handshake. */
const networkFailure = /^(?!EPROTO$)(E[A-Z]+|EAI_\w+)$/
