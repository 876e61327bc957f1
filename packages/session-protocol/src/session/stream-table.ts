import type { StreamFrameVisitor } from '../frames/decode-message.ts'
import { encodeStreamHeader } from '../frames/stream-header.ts'
import { wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'
import type { MuxStream, ResetCode, StreamHeader } from '../stream/mux-stream.ts'
import { Stream, type StreamSurroundings } from '../stream/stream.ts'
import type { WindowPolicy } from '../stream/receive-window.ts'
import type { Outbox } from './outbox.ts'
import { StreamUnavailable } from './session-types.ts'

export interface StreamTableOptions {
  /** Whose ids are odd. */
  readonly role: 'agent' | 'service'
  /** Streams that the peer may have open. */
  readonly maxStreams: number
  /** Share of the streams that we may have open. */
  readonly streamShareOfBind: number
  readonly streamQueueBytes: number
  readonly onStream: (stream: MuxStream) => void
  /** A stream is over. */
  readonly onForget: () => void
}

/** The open streams of a session, by id. */
export class StreamTable implements StreamFrameVisitor, StreamSurroundings {
  readonly outlet: Outbox
  readonly windows: WindowPolicy
  readonly streamQueueBytes: number
  readonly #options: StreamTableOptions
  readonly #streams = new Map<number, Stream>()
  readonly #ownOfBinds = new Map<string, number>()
  #nextOwnId: number
  #lastPeerId = 0
  #peerStreams = 0
  #peerMaxStreams: number
  #acceptsStreams = true
  #ignoredFrames = 0

  constructor(outlet: Outbox, windows: WindowPolicy, options: StreamTableOptions) {
    this.outlet = outlet
    this.windows = windows
    this.streamQueueBytes = options.streamQueueBytes
    this.#options = options
    this.#nextOwnId = options.role === 'agent' ? 1 : 2
    this.#peerMaxStreams = options.maxStreams
  }

  get size(): number {
    return this.#streams.size
  }

  get ignoredFrames(): number {
    return this.#ignoredFrames
  }

  /** What the peer allows, from its hello or welcome. */
  set peerMaxStreams(count: number) {
    this.#peerMaxStreams = count
  }

  open(header: StreamHeader): MuxStream {
    if (this.#nextOwnId > wire.streamIdMax) throw new StreamUnavailable('session_leaving')
    if (this.#streams.size - this.#peerStreams >= this.#peerMaxStreams) throw new StreamUnavailable('stream_limit')
    if (this.#ownOf(header) >= Math.ceil(this.#peerMaxStreams * this.#options.streamShareOfBind))
      throw new StreamUnavailable('stream_limit')
    const id = this.#nextOwnId
    this.outlet.open(id, encodeStreamHeader(header))
    this.#nextOwnId += 2
    const stream = new Stream(id, header, this)
    this.#streams.set(id, stream)
    this.#ownOfBinds.set(header.bindId, this.#ownOf(header) + 1)
    stream.openWindow()
    return stream
  }

  /** New streams of the peer are refused from now on. */
  refuseNew(): void {
    this.#acceptsStreams = false
  }

  loseAll(message: string): void {
    for (const stream of this.#streams.values()) stream.onSessionLost(message)
  }

  forget(id: number): void {
    const stream = this.#streams.get(id)
    this.#streams.delete(id)
    if (!this.#isOwn(id)) this.#peerStreams -= 1
    else if (stream !== undefined) this.#forgetOwn(stream.header)
    this.#options.onForget()
  }

  onOpen(id: number, header: StreamHeader): void {
    if (this.#isOwn(id) || id <= this.#lastPeerId) throw new ProtocolError(`OPEN with the id ${id}`)
    this.#lastPeerId = id
    if (!this.#acceptsStreams) return this.outlet.reset(id, 'refused', 'leaving')
    if (this.#peerStreams >= this.#options.maxStreams) return this.outlet.reset(id, 'refused', 'too many streams')
    const stream = new Stream(id, header, this)
    this.#streams.set(id, stream)
    this.#peerStreams += 1
    this.#options.onStream(stream)
  }

  onData(id: number, payload: Buffer, isEnd: boolean): void {
    const stream = this.#streams.get(id) ?? this.#closed(id)
    stream?.onDataFrame(payload, isEnd)
  }

  onWindow(id: number, creditBytes: number): void {
    const stream = this.#streams.get(id) ?? this.#closed(id)
    stream?.onWindowFrame(creditBytes)
  }

  onReset(id: number, code: ResetCode, message: string): void {
    const stream = this.#streams.get(id) ?? this.#closed(id)
    stream?.onResetFrame(code, message)
  }

  #ownOf({ bindId }: StreamHeader): number {
    return this.#ownOfBinds.get(bindId) ?? 0
  }

  #forgetOwn(header: StreamHeader): void {
    const left = this.#ownOf(header) - 1
    if (left > 0) this.#ownOfBinds.set(header.bindId, left)
    else this.#ownOfBinds.delete(header.bindId)
  }

  /** A stream that is over: its last frames crossed ours on the way. An id that never was is a breach. */
  #closed(id: number): undefined {
    const wasOpened = this.#isOwn(id) ? id < this.#nextOwnId : id <= this.#lastPeerId
    if (!wasOpened) throw new ProtocolError(`frame for the stream ${id}, which was never opened`)
    this.#ignoredFrames += 1
  }

  #isOwn(id: number): boolean {
    return (id % 2 === 1) === (this.#options.role === 'agent')
  }
}
