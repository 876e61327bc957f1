import { closeCodeOf } from '../codes.ts'
import type { ControlParser } from '../control/parse-control.ts'
import { decodeMessage, type GoAway, type SessionFrameVisitor } from '../frames/decode-message.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { MuxStream, StreamHeader } from '../stream/mux-stream.ts'
import type { Transport, TransportEnding, TransportHandlers } from '../transport/transport.ts'
import type { Heartbeat } from './heartbeats.ts'
import { Outbox } from './outbox.ts'
import { RoundTrip } from './round-trip.ts'
import {
  type IgnoredCounts,
  type SessionEnding,
  type SessionHandlers,
  type SessionOptions,
  StreamUnavailable,
} from './session-types.ts'
import { StreamTable } from './stream-table.ts'
import { WindowBudget } from './window-budget.ts'

/** The part of a session that differs between its two ends. */
export interface SessionRole<Incoming> {
  readonly name: 'agent' | 'service'
  readonly parseControl: ControlParser<Incoming>
}

/** Many streams and typed control messages over one transport. */
export class Session<Incoming, Outgoing extends object> implements SessionFrameVisitor, TransportHandlers, Heartbeat {
  readonly #transport: Transport
  readonly #handlers: SessionHandlers<Incoming>
  readonly #role: SessionRole<Incoming>
  readonly #options: SessionOptions
  readonly #outbox: Outbox
  readonly #roundTrip: RoundTrip
  readonly #streams: StreamTable
  #heartbeat: { readonly intervalMs: number; readonly toleranceMs: number }
  #peerGoAway: GoAway | null = null
  #isLeaving = false
  #isClosed = false
  #ignoredControlMessages = 0
  #heardAtMs: number

  constructor(
    transport: Transport,
    handlers: SessionHandlers<Incoming>,
    role: SessionRole<Incoming>,
    options: SessionOptions,
  ) {
    const { limits } = options
    this.#transport = transport
    this.#handlers = handlers
    this.#role = role
    this.#options = options
    this.#heartbeat = { intervalMs: limits.heartbeatIntervalMs, toleranceMs: limits.heartbeatToleranceMs }
    this.#outbox = new Outbox(transport, limits, (error) => this.#fail(error))
    this.#roundTrip = new RoundTrip(options.nowMs, (payload) => this.#outbox.ping(payload))
    this.#streams = new StreamTable(this.#outbox, new WindowBudget(limits, this.#roundTrip), {
      role: role.name,
      maxStreams: limits.maxStreams,
      streamShareOfBind: limits.streamShareOfBind,
      streamQueueBytes: limits.streamQueueBytes,
      onStream: (stream) => handlers.onStream(stream),
      onForget: () => this.#closeWhenEmpty(),
    })
    this.#heardAtMs = options.heartbeats.watchedMs
    transport.start(this)
    options.heartbeats.add(this)
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Streams that are open, of both sides. */
  get streamCount(): number {
    return this.#streams.size
  }

  /** Null until it was measured. */
  get roundTripMs(): number | null {
    return this.#roundTrip.ms
  }

  get ignored(): IgnoredCounts {
    return { frames: this.#streams.ignoredFrames, controlMessages: this.#ignoredControlMessages }
  }

  /** Takes over what the peer has said in its hello or welcome, and begins to measure the path. */
  agree(terms: { maxStreams: number; heartbeat: { intervalMs: number; toleranceMs: number } }): void {
    this.#streams.peerMaxStreams = terms.maxStreams
    this.#heartbeat = terms.heartbeat
    if (!this.#isClosed) this.#options.heartbeats.add(this)
    this.#roundTrip.ping()
  }

  /** Sends a control message. A no-op once closed. Throws RangeError when it is over its bound. */
  send(message: Outgoing): void {
    if (!this.#isClosed) this.#outbox.control(JSON.stringify(message))
  }

  /** Opens a stream at once, without a round trip. Throws `StreamUnavailable`. */
  openStream(header: StreamHeader): MuxStream {
    if (this.#isClosed) throw new StreamUnavailable('session_closed')
    if (this.#isLeaving || this.#peerGoAway) throw new StreamUnavailable('session_leaving')
    return this.#streams.open(header)
  }

  /** Announces the end: no new streams, running ones may finish, then the session closes by itself. */
  leave(retryAfterMs: number, message: string): void {
    if (this.#isClosed || this.#isLeaving) return
    this.#isLeaving = true
    this.#streams.refuseNew()
    this.#outbox.goAway('shutdown', retryAfterMs, message)
    this.#closeWhenEmpty()
  }

  /** Ends the session and its streams now, telling the peer why. Idempotent. */
  close(goAway: GoAway): void {
    if (this.#isClosed) return
    this.#outbox.goAway(goAway.code, goAway.retryAfterMs, goAway.message)
    this.#outbox.flush()
    this.#transport.close(closeCodeOf(goAway.code), goAway.message)
    this.#finish({ by: 'local', code: goAway.code, message: goAway.message, retryAfterMs: 0 })
  }

  // ---- from the transport

  onBytes(): void {
    this.#heardAtMs = this.#options.heartbeats.watchedMs
  }

  onMessage(message: Buffer): void {
    if (this.#isClosed) return
    try {
      decodeMessage(message, this.#streams, this)
    } catch (error) {
      this.#fail(error)
    }
  }

  onDrain(): void {
    this.#outbox.scheduleFlush()
  }

  onClose(ending: TransportEnding): void {
    const goAway = this.#peerGoAway
    if (goAway) this.#finish({ by: 'peer', ...goAway })
    else this.#finish({ by: 'network', code: null, message: `${ending.reason} (${ending.code})`, retryAfterMs: 0 })
  }

  // ---- from the decoder

  onPing(payload: Buffer): void {
    this.#outbox.pong(payload)
  }

  onPong(payload: Buffer): void {
    this.#roundTrip.onPong(payload)
  }

  onControlBytes(json: Buffer): void {
    if (this.#isClosed) return
    const message = this.#role.parseControl(json)
    if (message === null) this.#ignoredControlMessages += 1
    else this.#handlers.onControl(message)
  }

  onGoAwayFrame(goAway: GoAway): void {
    if (this.#isClosed) return
    this.#peerGoAway = goAway
    this.#handlers.onGoAway(goAway)
    this.#closeWhenEmpty()
  }

  // ---- from the watch over silence

  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** The service waits longer, so that normally the agent asks and one exchange serves both. */
  get askAfterMs(): number {
    const { intervalMs, toleranceMs } = this.#heartbeat
    return this.#role.name === 'agent' ? intervalMs : intervalMs + toleranceMs / 2
  }

  get deadAfterMs(): number {
    return this.#heartbeat.intervalMs + this.#heartbeat.toleranceMs
  }

  ask(): void {
    this.#roundTrip.ping()
  }

  onDead(): void {
    this.#finish({ by: 'local', code: 'heartbeat_timeout', message: 'the peer is silent', retryAfterMs: 0 })
    this.#transport.destroy()
  }

  #closeWhenEmpty(): void {
    if (this.#isClosed || this.#streams.size > 0 || !this.#isLeaving) return
    this.#outbox.flush()
    this.#transport.close(closeCodeOf('shutdown'), '')
    this.#finish({ by: 'local', code: 'shutdown', message: 'done', retryAfterMs: 0 })
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolError) return this.close({ code: error.code, retryAfterMs: 0, message: error.message })
    this.#finishWithBug(error)
  }

  #finishWithBug(cause: unknown): void {
    this.#transport.close(closeCodeOf('internal_error'), 'internal error')
    this.#finish({ by: 'local', code: 'internal_error', message: 'internal error', retryAfterMs: 0, cause })
  }

  #finish(ending: SessionEnding): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#options.heartbeats.remove(this)
    this.#outbox.close()
    this.#streams.loseAll(ending.message)
    this.#handlers.onClose(ending)
  }
}
