const SAMPLE_AGE_MS = 5000
const MINIMUM_AGE_MS = 60_000

/** Measures the round trip with PINGs. The lowest recent value counts: what queues add to it is not the path's. */
export class RoundTrip {
  readonly nowMs: () => number
  readonly #sendPing: (payload: Buffer) => void
  #minimumMs: number | null = null
  #minimumAtMs = 0
  #sentAtMs = Number.NEGATIVE_INFINITY
  #isAwaited = false

  constructor(nowMs: () => number, sendPing: (payload: Buffer) => void) {
    this.nowMs = nowMs
    this.#sendPing = sendPing
  }

  /** Null until the first PONG. */
  get ms(): number | null {
    return this.#minimumMs
  }

  ping(): void {
    this.#sentAtMs = this.nowMs()
    this.#isAwaited = true
    const payload = Buffer.allocUnsafe(8)
    payload.writeDoubleBE(this.#sentAtMs)
    this.#sendPing(payload)
  }

  /** Asks again when the last sample is old. */
  refresh(): void {
    if (this.nowMs() - this.#sentAtMs > SAMPLE_AGE_MS) this.ping()
  }

  onPong(payload: Buffer): void {
    if (!this.#isAwaited || payload.readDoubleBE() !== this.#sentAtMs) return
    this.#isAwaited = false
    const nowMs = this.nowMs()
    const sampleMs = nowMs - this.#sentAtMs
    if (this.#minimumMs !== null && sampleMs > this.#minimumMs && nowMs - this.#minimumAtMs < MINIMUM_AGE_MS) return
    this.#minimumMs = sampleMs
    this.#minimumAtMs = nowMs
  }
}
