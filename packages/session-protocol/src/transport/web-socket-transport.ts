import type { Transport, TransportHandlers } from './transport.ts'

/** What is used of a WebSocket: the `ws` library's one fits. It must be open, with compression off. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  send(message: Buffer, options: { binary: true }): void
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'message', listener: (message: unknown, isBinary: boolean) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close', listener: (code: number, reason: Buffer) => void): unknown
}

/** The connection below it. */
export interface SocketLike {
  readonly bytesRead: number
  on(event: 'drain', listener: () => void): unknown
}

const CLOSE_GRACE_MS = 2000

/** A transport over an open WebSocket and its TCP or TLS socket. */
export function webSocketTransport(webSocket: WebSocketLike, socket: SocketLike): Transport {
  return new WebSocketTransport(webSocket, socket)
}

class WebSocketTransport implements Transport {
  readonly #webSocket: WebSocketLike
  readonly #socket: SocketLike
  #isOpen = true
  #failure = ''

  constructor(webSocket: WebSocketLike, socket: SocketLike) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  get bufferedBytes(): number {
    return this.#webSocket.bufferedAmount
  }

  get receivedBytes(): number {
    return this.#socket.bytesRead
  }

  start(handlers: TransportHandlers): void {
    this.#webSocket.on('message', (message, isBinary) => {
      if (!this.#isOpen) return
      if (isBinary && Buffer.isBuffer(message)) handlers.onMessage(message)
      else this.close(1003, 'binary messages only')
    })
    this.#webSocket.on('error', (error) => (this.#failure = error.message))
    this.#webSocket.on('close', (code, reason) => {
      this.#isOpen = false
      handlers.onClose({ code, reason: reason.toString() || this.#failure })
    })
    this.#socket.on('drain', () => handlers.onDrain())
  }

  send(message: Buffer): void {
    if (this.#isOpen) this.#webSocket.send(message, sendOptions)
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#webSocket.close(code, boundedReason(reason))
    const deadline = setTimeout(() => this.#webSocket.terminate(), CLOSE_GRACE_MS)
    this.#webSocket.on('close', () => clearTimeout(deadline))
  }

  destroy(): void {
    this.#isOpen = false
    this.#webSocket.terminate()
  }
}

const sendOptions = { binary: true } as const

/** A close reason is at most 123 bytes (RFC 6455, section 5.5.1). */
function boundedReason(reason: string): string {
  let text = reason.slice(0, 123)
  while (Buffer.byteLength(text) > 123) text = text.slice(0, -1)
  return text
}
