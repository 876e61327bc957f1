import { noteRead } from './spent-buffers.ts'
import type { Transport, TransportHandlers } from './transport.ts'
import { binaryMessageHeader } from './web-socket-message.ts'

/** What is used of a WebSocket: the one of the `ws` library fits. It must be open, with compression off. */
export interface WebSocketLike {
  readonly readyState: number
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'message', listener: (message: unknown, isBinary: boolean) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown
}

/** The TCP or TLS connection below it. */
export interface SocketLike {
  readonly writableLength: number
  write(bytes: Uint8Array): unknown
  cork(): void
  uncork(): void
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  on(event: 'drain', listener: () => void): unknown
}

const OPEN_STATE = 1
const CLOSE_GRACE_MS = 2000
/** Up to here a copy costs less than writing several parts: a heartbeat, a small request. */
const JOINED_MAX_BYTES = 2048

/**
 * A transport over an open WebSocket. The WebSocket receives and closes; messages are written past it to its socket, in parts,
 * which saves joining and masking them. `side`: which end of the WebSocket this is.
 */
export function webSocketTransport(webSocket: WebSocketLike, socket: SocketLike, side: 'client' | 'server'): Transport {
  return new WebSocketTransport(webSocket, socket, side)
}

class WebSocketTransport implements Transport {
  readonly #webSocket: WebSocketLike
  readonly #socket: SocketLike
  readonly #side: 'client' | 'server'
  #failure = ''

  constructor(webSocket: WebSocketLike, socket: SocketLike, side: 'client' | 'server') {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#side = side
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength
  }

  start(handlers: TransportHandlers): void {
    this.#webSocket.on('message', (message, isBinary) => {
      if (!this.#isOpen) return
      if (isBinary && Buffer.isBuffer(message)) handlers.onMessage(message)
      else this.close(1003, 'binary messages only')
    })
    this.#webSocket.on('error', (error) => (this.#failure = error.message))
    this.#webSocket.on('close', (code, reason) => {
      handlers.onClose({ code, reason: reason.toString() || this.#failure })
    })
    this.#socket.on('data', ({ length }) => {
      noteRead(length)
      handlers.onBytes()
    })
    this.#socket.on('drain', () => handlers.onDrain())
  }

  send(parts: readonly Uint8Array[], bytes: number): void {
    if (!this.#isOpen) return
    const header = binaryMessageHeader(bytes, this.#side)
    if (bytes <= JOINED_MAX_BYTES) return void this.#socket.write(Buffer.concat([header, ...parts]))
    this.#socket.cork()
    this.#socket.write(header)
    for (const part of parts) this.#socket.write(part)
    this.#socket.uncork()
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#webSocket.close(code, boundedReason(reason))
    const deadline = setTimeout(() => this.#webSocket.terminate(), CLOSE_GRACE_MS)
    this.#webSocket.on('close', () => clearTimeout(deadline))
  }

  destroy(): void {
    this.#webSocket.terminate()
  }

  get #isOpen(): boolean {
    return this.#webSocket.readyState === OPEN_STATE
  }
}

/** A close reason is at most 123 bytes (RFC 6455, section 5.5.1). */
function boundedReason(reason: string): string {
  let text = reason.slice(0, 123)
  while (Buffer.byteLength(text) > 123) text = text.slice(0, -1)
  return text
}
