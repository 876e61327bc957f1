import type { Socket } from 'node:net'
import type { MuxStream, ResetCode, StreamEnding, StreamSink } from '@tunnel/session-protocol'
import { connectUpstream, type Upstream } from './upstream-connection.ts'

interface UpstreamLimits {
  /** Until the upstream has accepted, TLS handshake included. */
  readonly connectTimeoutMs: number
  /** For what is still on its way when the visitor's side has finished. */
  readonly lingerMs: number
}

const upstreamLimits: UpstreamLimits = { connectTimeoutMs: 10_000, lingerMs: 30_000 }

/** Connects a stream to its upstream: raw bytes both ways, each side's pace and each side's end passed on to the other. */
export function forwardStream(
  stream: MuxStream,
  upstream: Upstream,
  onClosed: (ending: StreamEnding) => void,
  limits = upstreamLimits,
): void {
  stream.attach(new UpstreamPipe(stream, upstream, onClosed, limits))
}

class UpstreamPipe implements StreamSink {
  readonly #stream: MuxStream
  readonly #socket: Socket
  readonly #onClosed: (ending: StreamEnding) => void
  readonly #limits: UpstreamLimits
  #timer: NodeJS.Timeout
  #isStreamOpen = true
  #isConnected = false
  #hasUpstreamEnded = false

  constructor(stream: MuxStream, upstream: Upstream, onClosed: (ending: StreamEnding) => void, limits: UpstreamLimits) {
    this.#stream = stream
    this.#onClosed = onClosed
    this.#limits = limits
    const { socket, readyEvent } = connectUpstream(upstream)
    this.#socket = socket
    this.#timer = setTimeout(() => this.#fail('upstream_timeout', 'connecting took too long'), limits.connectTimeoutMs)
    socket.once(readyEvent, () => this.#onConnected())
    socket.on('data', (chunk: Buffer) => this.#passOn(chunk))
    socket.on('drain', () => stream.resume())
    socket.on('end', () => this.#onUpstreamEnd())
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#codeOf(error), error.code ?? 'failed'))
    socket.once('close', () => this.#onUpstreamClose())
  }

  onData(chunk: Buffer): void {
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
    if (!this.#hasUpstreamEnded) this.#fail('upstream_unreachable', 'connection lost')
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

  #codeOf({ code = '' }: NodeJS.ErrnoException): ResetCode {
    if (code === 'ECONNREFUSED') return 'upstream_refused'
    if (code === 'ETIMEDOUT') return 'upstream_timeout'
    const isTlsFailure = !this.#isConnected && !networkFailure.test(code)
    return isTlsFailure ? 'upstream_tls_failed' : 'upstream_unreachable'
  }
}

/** What else goes wrong before the connection stands is the TLS handshake. */
const networkFailure = /^(?!EPROTO$)(E[A-Z]+|EAI_\w+)$/
