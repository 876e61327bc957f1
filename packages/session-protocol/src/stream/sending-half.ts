import { wire } from '../limits.ts'
import { ProtocolError } from '../protocol-error.ts'

/** A sender that waits for its turn. */
export interface Turn {
  /** Sends at most `quantumBytes`, frame headers included; true: it could send more now. */
  takeTurn(quantumBytes: number): boolean
}

/** The way out that all streams of a session share. */
export interface DataOutlet {
  /** Whether so many bytes need no turn: they are few, no other stream waits and the transport is not full. */
  takesNow(bytes: number): boolean
  data(id: number, chunk: Buffer, start: number, end: number, isEnd: boolean): void
  /** Asks for a turn. To be called once per wait. */
  enqueue(turn: Turn): void
}

/** What the outgoing direction of a stream tells its surroundings. */
export interface SendingPort {
  onDrain(): void
  onEndSent(): void
}

/** The outgoing direction of a stream: sends within the credit and in turn with the others. */
export class SendingHalf implements Turn {
  readonly #id: number
  readonly #outlet: DataOutlet
  readonly #port: SendingPort
  readonly #queueMarkBytes: number
  #chunks: Buffer[] = []
  /** Bytes of the first chunk that are sent. */
  #offset = 0
  #queuedBytes = 0
  #creditBytes: number = wire.initialCreditBytes
  #isWaiting = false
  #needsDrain = false
  #isEnding = false
  #isEndSent = false
  #isDiscarded = false

  constructor(id: number, outlet: DataOutlet, port: SendingPort, queueMarkBytes: number) {
    this.#id = id
    this.#outlet = outlet
    this.#port = port
    this.#queueMarkBytes = queueMarkBytes
  }

  get queuedBytes(): number {
    return this.#queuedBytes
  }

  get isEndSent(): boolean {
    return this.#isEndSent
  }

  write(chunk: Buffer): boolean {
    if (this.#isEnding || this.#isDiscarded) throw new Error('write after the end of a stream')
    if (chunk.length === 0) return !this.#needsDrain
    if (this.#canSendNow(chunk.length)) {
      this.#creditBytes -= chunk.length
      this.#outlet.data(this.#id, chunk, 0, chunk.length, false)
      return true
    }
    this.#chunks.push(chunk)
    this.#queuedBytes += chunk.length
    this.#askForTurn()
    this.#needsDrain = this.#queuedBytes >= this.#queueMarkBytes
    return !this.#needsDrain
  }

  end(): void {
    if (this.#isEnding || this.#isDiscarded) return
    this.#isEnding = true
    if (this.#queuedBytes > 0 || !this.#outlet.takesNow(0)) return this.#askForTurn()
    this.#sendBareEnd()
    this.#port.onEndSent()
  }

  addCredit(bytes: number): void {
    this.#creditBytes += bytes
    if (this.#creditBytes > wire.creditMaxBytes) throw new ProtocolError('credit over the bound', 'flow_control_error')
    if (this.#queuedBytes > 0) this.#askForTurn()
  }

  takeTurn(quantumBytes: number): boolean {
    this.#isWaiting = false
    if (this.#isDiscarded) return false
    this.#sendQueued(quantumBytes)
    if (this.#queuedBytes === 0 && this.#isEnding) return this.#finish()
    if (this.#needsDrain && this.#queuedBytes * 2 <= this.#queueMarkBytes) this.#drained()
    if (this.#isWaiting) return false
    this.#isWaiting = this.#queuedBytes > 0 && this.#creditBytes > 0
    return this.#isWaiting
  }

  #finish(): false {
    if (!this.#isEndSent) this.#sendBareEnd()
    this.#port.onEndSent()
    return false
  }

  /** Drops what is queued; nothing is sent any more. */
  discard(): void {
    this.#isDiscarded = true
    this.#chunks = []
    this.#queuedBytes = 0
  }

  #canSendNow(bytes: number): boolean {
    return this.#queuedBytes === 0 && bytes <= this.#creditBytes && this.#outlet.takesNow(bytes)
  }

  #askForTurn(): void {
    if (this.#isWaiting || (this.#creditBytes === 0 && this.#queuedBytes > 0)) return
    this.#isWaiting = true
    this.#outlet.enqueue(this)
  }

  #sendQueued(quantumBytes: number): void {
    let room = quantumBytes - wire.headerBytes
    let chunk = this.#chunks[0]
    while (chunk && room > 0 && this.#creditBytes > 0) {
      const end = Math.min(chunk.length, this.#offset + Math.min(room, this.#creditBytes))
      const sent = end - this.#offset
      room -= sent + wire.headerBytes
      this.#creditBytes -= sent
      this.#queuedBytes -= sent
      this.#outlet.data(this.#id, chunk, this.#offset, end, this.#endsWith(end, chunk))
      this.#offset = end
      if (end < chunk.length) return
      this.#chunks.shift()
      this.#offset = 0
      chunk = this.#chunks[0]
    }
  }

  /** Whether these are the last bytes of the stream, which then carry the END flag. */
  #endsWith(end: number, chunk: Buffer): boolean {
    const isLast = this.#isEnding && this.#queuedBytes === 0 && end === chunk.length
    this.#isEndSent = isLast
    return isLast
  }

  #sendBareEnd(): void {
    this.#outlet.data(this.#id, emptyChunk, 0, 0, true)
    this.#isEndSent = true
  }

  #drained(): void {
    this.#needsDrain = false
    this.#port.onDrain()
  }
}

const emptyChunk = Buffer.alloc(0)
