import { messageTargetBytes } from '../limits.ts'

/** Takes finished messages, each in parts that follow one another. */
export interface MessageOutput {
  send(parts: readonly Uint8Array[], bytes: number): void
}

const FIRST_BUFFER_BYTES = 256
const BUFFER_MAX_BYTES = 32 * 1024
/** From here on passing a chunk on costs less than copying it. */
const LARGE_BYTES = 8 * 1024

/**
 * Builds messages: small pieces are copied together, large ones passed on as they are.
 * Buffers are sized after the messages before, so that an idle session holds none.
 */
export class MessageBuilder {
  readonly #output: MessageOutput
  #parts: Uint8Array[] = []
  /** Holds what was copied; its bytes from `#start` to `#end` are not in a part yet. */
  #buffer: Buffer = noBuffer
  #start = 0
  #end = 0
  #copiedBytes = 0
  #bytes = 0
  #expectedBytes = FIRST_BUFFER_BYTES

  constructor(output: MessageOutput) {
    this.#output = output
  }

  get pendingBytes(): number {
    return this.#bytes
  }

  /** A frame of so many bytes follows. Starts a new message when this one would become too long. */
  beginFrame(bytes: number): void {
    if (this.#bytes > 0 && this.#bytes + bytes > messageTargetBytes) this.flush()
    this.#bytes += bytes
  }

  appendUInt16(value: number): void {
    this.#makeRoom(2)
    this.#end = this.#buffer.writeUInt16BE(value, this.#end)
  }

  appendUInt32(value: number): void {
    this.#makeRoom(4)
    this.#end = this.#buffer.writeUInt32BE(value, this.#end)
  }

  append(bytes: Uint8Array): void {
    if (bytes.length >= LARGE_BYTES) return this.#pass(bytes)
    this.#makeRoom(bytes.length)
    this.#buffer.set(bytes, this.#end)
    this.#end += bytes.length
  }

  flush(): void {
    if (this.#bytes === 0) return
    this.#closePart()
    const parts = this.#parts
    const bytes = this.#bytes
    this.#expectedBytes = Math.min(Math.max(FIRST_BUFFER_BYTES, 2 * this.#copiedBytes), BUFFER_MAX_BYTES)
    this.#parts = []
    this.#buffer = noBuffer
    this.#start = 0
    this.#end = 0
    this.#copiedBytes = 0
    this.#bytes = 0
    this.#output.send(parts, bytes)
  }

  #pass(bytes: Uint8Array): void {
    this.#closePart()
    this.#parts.push(bytes)
  }

  #closePart(): void {
    if (this.#end === this.#start) return
    this.#parts.push(this.#buffer.subarray(this.#start, this.#end))
    this.#copiedBytes += this.#end - this.#start
    this.#start = this.#end
  }

  #makeRoom(bytes: number): void {
    if (this.#end + bytes <= this.#buffer.length) return
    const unfinished = this.#buffer.subarray(this.#start, this.#end)
    const size = Math.max(
      this.#expectedBytes,
      Math.min(4 * this.#buffer.length, BUFFER_MAX_BYTES),
      unfinished.length + bytes,
    )
    this.#buffer = Buffer.allocUnsafe(size)
    this.#buffer.set(unfinished)
    this.#start = 0
    this.#end = unfinished.length
  }
}

const noBuffer = Buffer.alloc(0)
