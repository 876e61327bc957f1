import type { Socket } from 'node:net'

/** Bytes under way in one direction before its source is stopped: enough for 1 GB/s at 50 ms. */
const IN_FLIGHT_MAX_BYTES = 64 << 20

interface Parcel {
  readonly dueAt: number
  /** Null stands for the end of the stream. */
  readonly chunk: Buffer | null
}

/** One direction of a slow link: what goes in comes out at the socket `delayMs` later, in order, in small pieces if asked. */
export class DelayLine {
  /** Told when the line becomes full, and when it has room again. */
  onPressure: (isFull: boolean) => void = () => {}
  readonly #to: Socket
  readonly #delayMs: number
  readonly #segmentMaxBytes: number
  readonly #parcels: Parcel[] = []
  #heldBytes = 0
  #isFull = false
  #isWaiting = false

  constructor(to: Socket, options: { readonly delayMs?: number; readonly segmentMaxBytes?: number }) {
    this.#to = to
    this.#delayMs = options.delayMs ?? 0
    this.#segmentMaxBytes = options.segmentMaxBytes ?? Infinity
    to.on('drain', () => this.#deliver())
  }

  write(chunk: Buffer): void {
    this.#push(chunk)
    this.#deliver()
  }

  end(): void {
    this.#push(null)
    this.#deliver()
  }

  #push(chunk: Buffer | null): void {
    this.#parcels.push({ dueAt: performance.now() + this.#delayMs, chunk })
    this.#heldBytes += chunk?.length ?? 0
  }

  #deliver(): void {
    while (!this.#isWaiting && !this.#to.writableNeedDrain) {
      const [next] = this.#parcels
      if (!next) break
      const waitMs = next.dueAt - performance.now()
      if (waitMs > 0) return this.#wakeIn(waitMs)
      this.#send(next)
      if (this.#segmentMaxBytes !== Infinity) return this.#wakeIn(0)
    }
    this.#reportPressure()
  }

  #send({ chunk, dueAt }: Parcel): void {
    this.#parcels.shift()
    if (chunk === null) return void this.#to.end()
    const piece = chunk.subarray(0, this.#segmentMaxBytes)
    this.#heldBytes -= piece.length
    if (this.#to.writable) this.#to.write(piece)
    if (piece.length < chunk.length) this.#parcels.unshift({ chunk: chunk.subarray(piece.length), dueAt })
  }

  /** A pause of its own after each small piece keeps the kernel from joining it with the next. */
  #wakeIn(waitMs: number): void {
    this.#isWaiting = true
    const wake = (): void => {
      this.#isWaiting = false
      this.#deliver()
    }
    if (waitMs > 0) setTimeout(wake, waitMs)
    else setImmediate(wake)
    this.#reportPressure()
  }

  #reportPressure(): void {
    const isFull = this.#heldBytes > IN_FLIGHT_MAX_BYTES || (this.#delayMs === 0 && this.#to.writableNeedDrain)
    if (isFull === this.#isFull) return
    this.#isFull = isFull
    this.onPressure(isFull)
  }
}
