import type { GoAwayCode } from '../codes.ts'
import { goAwayNumbers, resetNumbers } from '../codes.ts'
import { wire } from '../limits.ts'
import type { ResetCode } from '../stream/mux-stream.ts'
import { MessageBuilder, type MessageOutput } from './message-builder.ts'
import { CONTROL, DATA, END_FLAG, GOAWAY, OPEN, PING, PONG, RESET, WINDOW } from './frame-types.ts'

/** Writes frames, joined into messages. The last message is handed over by `flush`. */
export class FrameWriter {
  readonly #message: MessageBuilder

  constructor(output: MessageOutput) {
    this.#message = new MessageBuilder(output)
  }

  /** Bytes written and not handed over. */
  get pendingBytes(): number {
    return this.#message.pendingBytes
  }

  open(id: number, header: Uint8Array): void {
    this.#begin(OPEN, 0, id, header.length)
    this.#message.append(header)
  }

  /** Sends `chunk` from `start` to `end`, at most `dataMaxBytes`. Large chunks are passed on without copying them. */
  data(id: number, chunk: Buffer, start: number, end: number, isEnd: boolean): void {
    this.#begin(DATA, isEnd ? END_FLAG : 0, id, end - start)
    this.#message.append(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end))
  }

  window(id: number, creditBytes: number): void {
    this.#begin(WINDOW, 0, id, 4)
    this.#message.appendUInt32(creditBytes)
  }

  reset(id: number, code: ResetCode, message: string): void {
    const text = boundedText(message)
    this.#begin(RESET, 0, id, 2 + text.length)
    this.#message.appendUInt16(resetNumbers[code])
    this.#message.append(text)
  }

  ping(payload: Uint8Array): void {
    this.#begin(PING, 0, 0, 8)
    this.#message.append(payload)
  }

  pong(payload: Uint8Array): void {
    this.#begin(PONG, 0, 0, 8)
    this.#message.append(payload)
  }

  /** Throws RangeError over `controlMaxBytes`. */
  control(json: string): void {
    const bytes = Buffer.from(json)
    if (bytes.length > wire.controlMaxBytes) throw new RangeError(`control message of ${bytes.length} bytes`)
    this.#begin(CONTROL, 0, 0, bytes.length)
    this.#message.append(bytes)
  }

  goAway(code: GoAwayCode, retryAfterMs: number, message: string): void {
    const text = boundedText(message)
    this.#begin(GOAWAY, 0, 0, 6 + text.length)
    this.#message.appendUInt16(goAwayNumbers[code])
    this.#message.appendUInt32(retryAfterMs)
    this.#message.append(text)
  }

  flush(): void {
    this.#message.flush()
  }

  #begin(type: number, flags: number, id: number, payloadBytes: number): void {
    this.#message.beginFrame(wire.headerBytes + payloadBytes)
    this.#message.appendUInt32(((payloadBytes << 8) | (type << 4) | flags) >>> 0)
    this.#message.appendUInt32(id)
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
