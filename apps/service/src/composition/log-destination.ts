import { write, writeSync } from 'node:fs'

const queueMaxChars = 4 << 20
/** A pipe that is full empties quickly when somebody reads it. */
const retryMs = 5
const lastTryMs = 500

/** Takes log lines, as pino hands them over. */
export interface LogDestination {
  write(line: string): void
}

/**
 * Writes log lines in batches, off the caller's path. A reader that stops (a full pipe, a stuck disk) costs lines, which are
 * counted in the log itself, and neither time nor memory. What is left is written when the process exits.
 */
export function logDestination(descriptor: number): LogDestination {
  const queue = new LineQueue(descriptor)
  process.once('exit', () => queue.writeRest())
  return queue
}

class LineQueue implements LogDestination {
  readonly #descriptor: number
  #lines = ''
  /** Bytes of a batch that the system has not taken yet. */
  #batch: Buffer = Buffer.alloc(0)
  #isBusy = false
  #droppedCount = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  write(line: string): void {
    if (this.#lines.length > queueMaxChars) {
      this.#droppedCount += 1
      return
    }
    this.#lines += line
    if (this.#isBusy) return
    this.#isBusy = true
    setImmediate(() => this.#writeBatch())
  }

  /** Waits a little for a slow reader, and not for one that has stopped. */
  writeRest(): void {
    const deadline = Date.now() + lastTryMs
    while (this.#takeBatch() && Date.now() < deadline)
      try {
        this.#batch = this.#batch.subarray(writeSync(this.#descriptor, this.#batch))
      } catch (error) {
        if (!isFull(error)) return
      }
  }

  #writeBatch(): void {
    if (!this.#takeBatch()) {
      this.#isBusy = false
      return
    }
    write(this.#descriptor, this.#batch, (error, writtenBytes) => {
      this.#batch = error !== null && !isFull(error) ? Buffer.alloc(0) : this.#batch.subarray(writtenBytes ?? 0)
      if (error === null) this.#writeBatch()
      else setTimeout(() => this.#writeBatch(), retryMs).unref()
    })
  }

  /** False when there is nothing to write. */
  #takeBatch(): boolean {
    if (this.#batch.length > 0) return true
    if (this.#droppedCount > 0)
      this.#lines += `${JSON.stringify({ level: 40, dropped: this.#droppedCount, msg: 'log lines were dropped' })}\n`
    this.#droppedCount = 0
    this.#batch = Buffer.from(this.#lines)
    this.#lines = ''
    return this.#batch.length > 0
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY')
}
