import type { Socket } from 'node:net'
import type { MuxStream, ResetCode, StreamEnding, StreamHeader, StreamSink } from '@tunnel/session-protocol'

const connectWithinMs = 10_000

const resetCodes: Readonly<Record<string, ResetCode>> = {
  ECONNREFUSED: 'upstream_refused',
  ETIMEDOUT: 'upstream_timeout',
  ENOTFOUND: 'upstream_unreachable',
  EAI_AGAIN: 'upstream_unreachable',
  EHOSTUNREACH: 'upstream_unreachable',
  ENETUNREACH: 'upstream_unreachable',
}

/** A connection of the service itself, in the form of a stream to an agent. */
export class SocketStream implements MuxStream {
  readonly id = 0
  readonly header: StreamHeader
  readonly #socket: Socket
  #sink: StreamSink | undefined
  #ending: StreamEnding | undefined
  #isConnected = false

  /** `ready` is the event after which bytes reach the other end. */
  constructor(header: StreamHeader, dial: () => Socket, ready: 'connect' | 'secureConnect') {
    this.header = header
    this.#socket = dial()
    const timer = setTimeout(() => this.#socket.destroy(timeout()), connectWithinMs)
    this.#socket.pause()
    this.#socket.once(ready, () => {
      this.#isConnected = true
      clearTimeout(timer)
    })
    this.#socket.on('data', (chunk: Buffer) => this.#sink?.onData(chunk))
    this.#socket.on('end', () => this.#sink?.onEnd())
    this.#socket.on('drain', () => this.#sink?.onDrain())
    this.#socket.on('error', (error: NodeJS.ErrnoException) => this.#noteFailure(error))
    this.#socket.on('close', () => {
      clearTimeout(timer)
      this.#sink?.onClose(this.#ending ?? { kind: 'finished' })
    })
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  get queuedBytes(): number {
    return this.#socket.writableLength
  }

  attach(sink: StreamSink): void {
    this.#sink = sink
    this.#socket.resume()
  }

  write(chunk: Buffer): boolean {
    return this.#socket.write(chunk)
  }

  end(): void {
    this.#socket.end()
  }

  reset(code: ResetCode, message = ''): void {
    this.#ending ??= { kind: 'reset', by: 'local', code, message }
    this.#socket.destroy()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  #noteFailure({ code = '', message }: NodeJS.ErrnoException): void {
    const reason = this.#isConnected ? 'upstream_lost' : (resetCodes[code] ?? 'upstream_tls_failed')
    this.#ending ??= { kind: 'reset', by: 'peer', code: reason, message }
  }
}

function timeout(): NodeJS.ErrnoException {
  return Object.assign(new Error('no connection within the time limit'), { code: 'ETIMEDOUT' })
}
