import { HeldBytes } from './held-bytes.ts'
import type { StreamSink } from './mux-stream.ts'
import type { ReceiveWindow } from './receive-window.ts'
import { ProtocolError } from '../protocol-error.ts'

/** What the incoming direction of a stream asks of its surroundings. */
export interface ReceivingPort {
  giveCredit(bytes: number): void
  /** The end was delivered to the sink. */
  onEndDelivered(): void
}

/** The incoming direction of a stream: holds bytes while nobody reads, and gives credit as they are read. */
export class ReceivingHalf {
  readonly #window: ReceiveWindow
  readonly #port: ReceivingPort
  #sink: StreamSink | null = null
  #held: HeldBytes | null = null
  #isPaused = false
  #isDelivering = false
  #hasEnded = false
  #isEndDelivered = false
  #isDiscarded = false

  constructor(window: ReceiveWindow, port: ReceivingPort) {
    this.#window = window
    this.#port = port
  }

  /** The peer will send no more. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get sink(): StreamSink | null {
    return this.#sink
  }

  attach(sink: StreamSink): void {
    if (this.#sink) throw new Error('a stream has one sink')
    this.#sink = sink
    this.#deliver()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#deliver()
  }

  receive(payload: Buffer, isEnd: boolean): void {
    if (this.#hasEnded) throw new ProtocolError('DATA after END')
    this.#window.arrived(payload.length)
    this.#hasEnded = isEnd
    if (payload.length > 0) this.#take(payload)
    if (isEnd) this.#deliver()
  }

  /** Drops what is held; nothing is delivered any more. */
  discard(): void {
    this.#isDiscarded = true
    this.#held = null
    this.#window.release()
  }

  #take(payload: Buffer): void {
    if (this.#sink && !this.#isPaused && !this.#isDelivering && !this.#held) this.#handOver(this.#sink, payload)
    else this.#hold(payload)
  }

  #hold(payload: Buffer): void {
    this.#held ??= new HeldBytes()
    this.#held.push(payload)
  }

  #handOver(sink: StreamSink, payload: Buffer): void {
    this.#isDelivering = true
    sink.onData(payload)
    this.#isDelivering = false
    this.#giveCreditFor(payload.length)
    if (this.#held && !this.#isPaused) this.#deliver()
  }

  /** Delivers what is held, then the end, until the sink pauses. */
  #deliver(): void {
    const sink = this.#sink
    if (!sink || this.#isDelivering) return
    this.#isDelivering = true
    this.#deliverHeld(sink)
    this.#isDelivering = false
    if (this.#hasEnded && !this.#held && !this.#isPaused) this.#deliverEnd(sink)
  }

  #deliverHeld(sink: StreamSink): void {
    while (this.#held && !this.#isPaused) {
      const chunk = this.#held.shift()
      if (this.#held.isEmpty) this.#held = null
      if (!chunk) return
      sink.onData(chunk)
      this.#giveCreditFor(chunk.length)
    }
  }

  #deliverEnd(sink: StreamSink): void {
    if (this.#isEndDelivered || this.#isDiscarded) return
    this.#isEndDelivered = true
    sink.onEnd()
    this.#port.onEndDelivered()
  }

  #giveCreditFor(bytes: number): void {
    if (this.#isDiscarded) return
    const credit = this.#window.read(bytes)
    if (credit > 0 && !this.#hasEnded) this.#port.giveCredit(credit)
  }
}
