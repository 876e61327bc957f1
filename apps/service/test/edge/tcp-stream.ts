import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { MuxStream, ResetCode, StreamEnding, StreamHeader, StreamSink } from '@tunnel/session-protocol'

/** What an agent does, without a session between: a stream that leads straight to a port of loopback. */
export class TcpStream implements MuxStream {
  readonly id = 1
  readonly header: StreamHeader
  readonly socket: Socket
  /** Resolves when the connection to the upstream is over. */
  readonly closed: Promise<unknown>
  #sink: StreamSink | undefined
  #ending: StreamEnding | undefined

  constructor(port: number, header: Pick<StreamHeader, 'visitorAddress' | 'kind'>) {
    this.header = { bindId: 'bind', ...header }
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    this.closed = once(this.socket, 'close').catch(() => undefined)
    this.socket.pause()
    this.socket.on('data', (chunk) => this.#sink?.onData(chunk))
    this.socket.on('end', () => this.#sink?.onEnd())
    this.socket.on('drain', () => this.#sink?.onDrain())
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      const code: ResetCode = error.code === 'ECONNREFUSED' ? 'upstream_refused' : 'cancelled'
      this.#ending ??= { kind: 'reset', by: 'peer', code, message: error.code ?? '' }
    })
    this.socket.on('close', () => this.#sink?.onClose(this.#ending ?? { kind: 'finished' }))
  }

  get isClosed(): boolean {
    return this.socket.destroyed
  }

  get queuedBytes(): number {
    return this.socket.writableLength
  }

  attach(sink: StreamSink): void {
    this.#sink = sink
    this.socket.resume()
  }

  write(chunk: Buffer): boolean {
    if (this.#ending !== undefined || this.socket.writableEnded) throw new Error('the stream is over')
    return this.socket.write(chunk)
  }

  end(): void {
    this.socket.end()
  }

  reset(code: ResetCode, message = ''): void {
    this.#end({ kind: 'reset', by: 'local', code, message })
  }

  /** As if the session had gone. */
  loseSession(): void {
    this.#end({ kind: 'session_lost', message: 'the connection was lost' })
  }

  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  #end(ending: StreamEnding): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    this.socket.destroy()
  }
}
