import type { GoAwayCode } from '../codes.ts'
import { goAwayNumbers, resetNumbers } from '../codes.ts'
import { wire } from '../limits.ts'
import type { ResetCode } from '../stream/mux-stream.ts'
import { CONTROL, DATA, END_FLAG, GOAWAY, OPEN, PING, PONG, RESET, WINDOW } from './frame-types.ts'

/** A message is handed over when it is about this long, so that the peer can begin with it: one whole DATA frame and some. */
const MESSAGE_TARGET_BYTES = 66 * 1024
const FIRST_MESSAGE_BYTES = 256

/**
 * Joins frames into messages. A message is handed to `send` when it is full, and the last one by `flush`.
 * Buffers are sized after the messages before, so that an idle session holds none.
 */
export class FrameWriter {
  readonly #send: (message: Buffer) => void
  #buffer: Buffer | null = null
  #length = 0
  #expectedBytes = FIRST_MESSAGE_BYTES

  constructor(send: (message: Buffer) => void) {
    this.#send = send
  }

  /** Bytes written and not handed over. */
  get pendingBytes(): number {
    return this.#length
  }

  open(id: number, header: Uint8Array): void {
    this.#frame(OPEN, 0, id, header, 0, header.length)
  }

  /** Copies `chunk` from `start` to `end`, at most `dataMaxBytes`. */
  data(id: number, chunk: Uint8Array, start: number, end: number, isEnd: boolean): void {
    this.#frame(DATA, isEnd ? END_FLAG : 0, id, chunk, start, end)
  }

  window(id: number, creditBytes: number): void {
    const buffer = this.#header(WINDOW, 0, id, 4)
    buffer.writeUInt32BE(creditBytes, this.#length)
    this.#length += 4
  }

  reset(id: number, code: ResetCode, message: string): void {
    const text = boundedText(message)
    const buffer = this.#header(RESET, 0, id, 2 + text.length)
    buffer.writeUInt16BE(resetNumbers[code], this.#length)
    buffer.set(text, this.#length + 2)
    this.#length += 2 + text.length
  }

  ping(payload: Uint8Array): void {
    this.#frame(PING, 0, 0, payload, 0, 8)
  }

  pong(payload: Uint8Array): void {
    this.#frame(PONG, 0, 0, payload, 0, 8)
  }

  /** Throws RangeError over `controlMaxBytes`. */
  control(json: string): void {
    const bytes = Buffer.from(json)
    if (bytes.length > wire.controlMaxBytes) throw new RangeError(`control message of ${bytes.length} bytes`)
    this.#frame(CONTROL, 0, 0, bytes, 0, bytes.length)
  }

  goAway(code: GoAwayCode, retryAfterMs: number, message: string): void {
    const text = boundedText(message)
    const buffer = this.#header(GOAWAY, 0, 0, 6 + text.length)
    buffer.writeUInt16BE(goAwayNumbers[code], this.#length)
    buffer.writeUInt32BE(retryAfterMs, this.#length + 2)
    buffer.set(text, this.#length + 6)
    this.#length += 6 + text.length
  }

  flush(): void {
    const buffer = this.#buffer
    if (!buffer) return
    const length = this.#length
    this.#expectedBytes = Math.max(FIRST_MESSAGE_BYTES, Math.min(2 * length, MESSAGE_TARGET_BYTES))
    this.#buffer = null
    this.#length = 0
    this.#send(buffer.subarray(0, length))
  }

  #frame(type: number, flags: number, id: number, payload: Uint8Array, start: number, end: number): void {
    const size = end - start
    const buffer = this.#header(type, flags, id, size)
    if (size > 0)
      buffer.set(start === 0 && end === payload.length ? payload : payload.subarray(start, end), this.#length)
    this.#length += size
  }

  #header(type: number, flags: number, id: number, payloadBytes: number): Buffer {
    const buffer = this.#reserve(wire.headerBytes + payloadBytes)
    buffer.writeUInt32BE(((payloadBytes << 8) | (type << 4) | flags) >>> 0, this.#length)
    buffer.writeUInt32BE(id, this.#length + 4)
    this.#length += wire.headerBytes
    return buffer
  }

  /** The current buffer with room for `bytes` more; grows it, or starts a new message when it is full. */
  #reserve(bytes: number): Buffer {
    if (this.#buffer && this.#length + bytes > MESSAGE_TARGET_BYTES) this.flush()
    const needed = this.#length + bytes
    const current = this.#buffer
    if (current && needed <= current.length) return current
    const grown = Buffer.allocUnsafe(
      Math.max(needed, this.#expectedBytes, Math.min(4 * this.#length, MESSAGE_TARGET_BYTES)),
    )
    if (current) grown.set(current.subarray(0, this.#length))
    this.#buffer = grown
    return grown
  }
}

/** UTF-8 of a message, cut at the bound on a character border. */
function boundedText(message: string): Buffer {
  const text = Buffer.from(message)
  if (text.length <= wire.reasonMaxBytes) return text
  let end = wire.reasonMaxBytes
  while (((text[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return text.subarray(0, end)
}
