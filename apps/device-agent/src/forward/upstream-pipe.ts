import type { Socket } from 'node:net'
import type { MuxStream, ResetCode, StreamEnding, StreamSink } from '@tunnel/session-protocol'
import { connectUpstream, type Upstream } from './upstream-connection.ts'

export interface UpstreamLimits {
  /** Until the upstream has accepted, TLS handshake included. */
  readonly connectTimeoutMs: number
  /** For what is still on its way when the visitor's side has finished. */
  readonly lingerMs: number
}

export const upstreamLimits: UpstreamLimits = { connectTimeoutMs: 10_000, lingerMs: 30_000 }

/** Connects a stream to its upstream: raw bytes both ways, each side's pace and each side's end passed on to the other. */
export function forwardStream(stream: MuxStream, upstream: Upstream, limits = upstreamLimits): void {
  stream.attach(new UpstreamPipe(stream, upstream, limits))
}

class UpstreamPipe implements StreamSink {
  readonly #stream: MuxStream
  readonly #socket: Socket
  readonly #limits: UpstreamLimits
  #isStreamOpen = true
  #isConnected = false

  constructor(stream: MuxStream, upstream: Upstream, limits: UpstreamLimits) {
    this.#stream = stream
    this.#limits = limits
    const { socket, readyEvent } = connectUpstream(upstream)
    this.#socket = socket
    const deadline = setTimeout(() => this.#fail('upstream_timeout', 'connecting took too long'), limits.connectTimeoutMs)
    socket.once(readyEvent, () => {
      this.#isConnected = true
      clearTimeout(deadline)
    })
    socket.once('close', () => {
      clearTimeout(deadline)
      this.#fail('upstream_unreachable', 'connection lost')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(this.#codeOf(error), error.code ?? 'failed'))
    socket.on('data', (chunk: Buffer) => this.#passOn(chunk))
    socket.on('end', () => this.#isStreamOpen && stream.end())
    socket.on('drain', () => stream.resume())
  }

  onData(chunk: Buffer): void {
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
    if (ending.kind === 'finished') this.#socket.setTimeout(this.#limits.lingerMs, () => this.#socket.destroy())
    else this.#abort()
  }

  #passOn(chunk: Buffer): void {
    if (this.#isStreamOpen && !this.#stream.write(chunk)) this.#socket.pause()
  }

  /** What was cut short must not look complete to the upstream: a reset and not an orderly end. */
  #abort(): void {
    if ('encrypted' in this.#socket) this.#socket.destroy()
    else this.#socket.resetAndDestroy()
  }

  #fail(code: ResetCode, message: string): void {
    if (this.#isStreamOpen) this.#stream.reset(code, message)
    this.#socket.destroy()
  }

  #codeOf({ code = '' }: NodeJS.ErrnoException): ResetCode {
    if (code === 'ECONNREFUSED') return 'upstream_refused'
    if (code === 'ETIMEDOUT') return 'upstream_timeout'
    const isTlsFailure = !this.#isConnected && !systemErrors.test(code)
    return isTlsFailure ? 'upstream_tls_failed' : 'upstream_unreachable'
  }
}

/** Failures of the network; what else goes wrong before the connection stands is the TLS handshake. */
const systemErrors = /^(E[A-Z]+|EAI_\w+)$/
