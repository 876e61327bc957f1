import type { Transport, TransportHandlers } from '../src/index.ts'

export interface Faults {
  /** One-way delay of every message. */
  readonly delayMs?: number
  /** The connection breaks when this many bytes have arrived on either side; a started message is lost. */
  readonly dropAfterBytes?: number
}

/** Two connected transports in this process. Messages arrive in order, later than the call that sends them. */
export function memoryPair(faults: Faults = {}): [MemoryTransport, MemoryTransport] {
  const left = new MemoryTransport(faults)
  const right = new MemoryTransport(faults)
  left.peer = right
  right.peer = left
  return [left, right]
}

export class MemoryTransport implements Transport {
  peer: MemoryTransport | null = null
  bufferedBytes = 0
  receivedBytes = 0
  /** The network takes nothing any more, and nobody is told. */
  isBlocked = false
  readonly #faults: Faults
  readonly #early: Buffer[] = []
  #handlers: TransportHandlers | null = null
  #isOpen = true

  constructor(faults: Faults) {
    this.#faults = faults
  }

  start(handlers: TransportHandlers): void {
    this.#handlers = handlers
    for (const message of this.#early) handlers.onMessage(message)
  }

  send(parts: readonly Uint8Array[]): void {
    if (!this.#isOpen) return
    const message = Buffer.concat(parts)
    this.bufferedBytes += message.length
    setImmediate(() => this.#leave(message))
  }

  cork(): void {
    // Messages are passed on one by one here.
  }

  uncork(): void {
    // As above.
  }

  close(code: number, reason: string): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    setImmediate(() =>
      this.#later(() => {
        this.peer?.end(code, reason)
        this.end(code, reason)
      }),
    )
  }

  destroy(): void {
    this.end(1006, 'destroyed')
    if (this.isBlocked) return
    setImmediate(() => this.peer?.end(1006, 'connection lost'))
  }

  arrive(message: Buffer): void {
    if (!this.#handlers && this.#isOpen) return void this.#early.push(message)
    this.receivedBytes += message.length
    if (this.receivedBytes > (this.#faults.dropAfterBytes ?? Infinity)) return this.destroy()
    this.#handlers?.onBytes()
    this.#handlers?.onMessage(message)
  }

  end(code: number, reason: string): void {
    this.#isOpen = false
    const handlers = this.#handlers
    this.#handlers = null
    handlers?.onClose({ code, reason })
  }

  /** The network takes the message; it arrives after the delay. */
  #leave(message: Buffer): void {
    if (this.isBlocked) return
    this.bufferedBytes -= message.length
    this.#later(() => this.peer?.arrive(message))
    if (this.bufferedBytes === 0) this.#handlers?.onDrain()
  }

  #later(action: () => void): void {
    if (this.#faults.delayMs) setTimeout(action, this.#faults.delayMs)
    else action()
  }
}
