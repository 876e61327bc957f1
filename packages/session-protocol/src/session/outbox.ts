import type { GoAwayCode } from '../codes.ts'
import { FrameWriter } from '../frames/frame-writer.ts'
import { type SessionLimits, wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { ResetCode } from '../stream/mux-stream.ts'
import type { DataOutlet, Turn } from '../stream/sending-half.ts'
import type { Transport } from '../transport/transport.ts'

type OutboxLimits = Pick<SessionLimits, 'transportMarkBytes' | 'transportMaxBytes' | 'quantumBytes'>

/**
 * The way out of a session. Frames of one turn of the event loop leave as one message; streams that have to wait are
 * served in turn, and only while the transport is below its mark.
 */
export class Outbox implements DataOutlet {
  readonly #transport: Transport
  readonly #limits: OutboxLimits
  readonly #onOverflow: (error: ProtocolError) => void
  readonly #writer: FrameWriter
  #waiting: Turn[] = []
  #pong: Buffer | null = null
  #isFlushScheduled = false
  #hasOverflowed = false
  #isClosed = false

  constructor(transport: Transport, limits: OutboxLimits, onOverflow: (error: ProtocolError) => void) {
    this.#transport = transport
    this.#limits = limits
    this.#onOverflow = onOverflow
    this.#writer = new FrameWriter(transport)
  }

  takesNow(bytes: number): boolean {
    return bytes + wire.headerBytes <= this.#limits.quantumBytes && this.#waiting.length === 0 && !this.#isCongested
  }

  open(id: number, header: Uint8Array): void {
    this.#writer.open(id, header)
    this.scheduleFlush()
  }

  data(id: number, chunk: Buffer, start: number, end: number, isEnd: boolean): void {
    this.#writer.data(id, chunk, start, end, isEnd)
    this.scheduleFlush()
  }

  window(id: number, creditBytes: number): void {
    this.#writer.window(id, creditBytes)
    this.scheduleFlush()
  }

  reset(id: number, code: ResetCode, message: string): void {
    this.#writer.reset(id, code, message)
    this.scheduleFlush()
  }

  control(json: string): void {
    this.#writer.control(json)
    this.scheduleFlush()
  }

  ping(payload: Uint8Array): void {
    this.#writer.ping(payload)
    this.scheduleFlush()
  }

  /** Only the last PING of a turn is answered, so that a flood of them costs nothing. */
  pong(payload: Buffer): void {
    this.#pong = payload
    this.scheduleFlush()
  }

  goAway(code: GoAwayCode, retryAfterMs: number, message: string): void {
    this.#writer.goAway(code, retryAfterMs, message)
    this.scheduleFlush()
  }

  enqueue(turn: Turn): void {
    this.#waiting.push(turn)
    this.scheduleFlush()
  }

  flush(): void {
    if (this.#isClosed) return
    this.#transport.cork()
    this.#serveWaiting()
    if (this.#pong) this.#writer.pong(this.#pong)
    this.#pong = null
    this.#writer.flush()
    this.#transport.uncork()
    if (this.#waiting.length > 0 && !this.#isCongested) this.scheduleFlush()
    if (this.#transport.bufferedBytes > this.#limits.transportMaxBytes) this.#overflow()
  }

  /** Nothing leaves any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting = []
  }

  get #isCongested(): boolean {
    return this.#transport.bufferedBytes + this.#writer.pendingBytes >= this.#limits.transportMarkBytes
  }

  #overflow(): void {
    if (this.#hasOverflowed) return
    this.#hasOverflowed = true
    this.#onOverflow(new ProtocolError('the peer does not read', 'limit_exceeded'))
  }

  #serveWaiting(): void {
    while (this.#waiting.length > 0 && !this.#isCongested) {
      const turn = this.#waiting.shift()
      if (turn?.takeTurn(this.#limits.quantumBytes)) this.#waiting.push(turn)
    }
  }

  /** After the current round of I/O: everything that this round causes leaves together, and what has come in is read first. */
  scheduleFlush(): void {
    if (this.#isFlushScheduled || this.#isClosed) return
    this.#isFlushScheduled = true
    setImmediate(Outbox.#flushScheduled, this)
  }

  static #flushScheduled(this: void, outbox: Outbox): void {
    outbox.#isFlushScheduled = false
    outbox.flush()
  }
}
