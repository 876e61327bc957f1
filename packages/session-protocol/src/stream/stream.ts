import type { MuxStream, ResetCode, StreamEnding, StreamHeader, StreamSink } from './mux-stream.ts'
import { ReceiveWindow, type WindowPolicy } from './receive-window.ts'
import { ReceivingHalf } from './receiving-half.ts'
import { type DataOutlet, SendingHalf } from './sending-half.ts'

/** What streams need of their session. */
export interface StreamSurroundings {
  readonly outlet: DataOutlet & {
    window(id: number, creditBytes: number): void
    reset(id: number, code: ResetCode, message: string): void
  }
  readonly windows: WindowPolicy
  readonly streamQueueBytes: number
  /** The stream is over; its id will not be used again. */
  forget(id: number): void
}

/** One multiplexed channel: two independent halves, and one end for both. */
export class Stream implements MuxStream {
  readonly id: number
  readonly header: StreamHeader
  readonly #surroundings: StreamSurroundings
  readonly #window: ReceiveWindow
  readonly #sending: SendingHalf
  readonly #receiving: ReceivingHalf
  #isEndDelivered = false
  #ending: StreamEnding | null = null

  constructor(id: number, header: StreamHeader, surroundings: StreamSurroundings) {
    this.id = id
    this.header = header
    this.#surroundings = surroundings
    this.#window = new ReceiveWindow(surroundings.windows)
    this.#sending = new SendingHalf(id, surroundings.outlet, this, surroundings.streamQueueBytes)
    this.#receiving = new ReceivingHalf(this.#window, this)
  }

  get queuedBytes(): number {
    return this.#sending.queuedBytes
  }

  attach(sink: StreamSink): void {
    this.#receiving.attach(sink)
    if (this.#ending) sink.onClose(this.#ending)
  }

  write(chunk: Buffer): boolean {
    return this.#sending.write(chunk)
  }

  end(): void {
    this.#sending.end()
  }

  pause(): void {
    this.#receiving.pause()
  }

  resume(): void {
    this.#receiving.resume()
  }

  reset(code: ResetCode, message = ''): void {
    if (this.#ending) return
    if (!this.#isOverOnTheWire) this.#surroundings.outlet.reset(this.id, code, message)
    this.#close({ kind: 'reset', by: 'local', code, message })
  }

  /** Opens the starting window before anything has arrived: for streams whose answer is awaited. */
  openWindow(): void {
    const credit = this.#window.openToStart()
    if (credit > 0) this.giveCredit(credit)
  }

  onDataFrame(payload: Buffer, isEnd: boolean): void {
    this.#receiving.receive(payload, isEnd)
  }

  onWindowFrame(creditBytes: number): void {
    this.#sending.addCredit(creditBytes)
  }

  onResetFrame(code: ResetCode, message: string): void {
    if (!this.#isOverOnTheWire) this.#close({ kind: 'reset', by: 'peer', code, message })
  }

  /** The session is gone. What has arrived completely is still delivered. */
  onSessionLost(message: string): void {
    if (!this.#isOverOnTheWire) this.#close({ kind: 'session_lost', message })
  }

  giveCredit(bytes: number): void {
    this.#surroundings.outlet.window(this.id, bytes)
  }

  onEndDelivered(): void {
    this.#isEndDelivered = true
    this.#closeWhenFinished()
  }

  onEndSent(): void {
    this.#closeWhenFinished()
  }

  onDrain(): void {
    this.#receiving.sink?.onDrain()
  }

  get #isOverOnTheWire(): boolean {
    return this.#receiving.hasEnded && this.#sending.isEndSent
  }

  #closeWhenFinished(): void {
    if (this.#isEndDelivered && this.#sending.isEndSent) this.#close({ kind: 'finished' })
  }

  #close(ending: StreamEnding): void {
    if (this.#ending) return
    this.#ending = ending
    this.#sending.discard()
    this.#receiving.discard()
    this.#surroundings.forget(this.id)
    this.#receiving.sink?.onClose(ending)
  }
}
