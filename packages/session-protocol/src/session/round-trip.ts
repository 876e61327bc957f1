/** At least this long: below it the event loop's own delays are all that is measured. */
const HORIZON_MIN_MS = 4
const SAMPLE_AGE_MS = 5000

/** Measures the round trip with PINGs; the lowest recent value counts, as queues only add to it. */
export class RoundTrip {
  readonly nowMs: () => number
  readonly #sendPing: (payload: Buffer) => void
  #roundTripMs: number | null = null
  #sentAtMs = Number.NEGATIVE_INFINITY
  #isAwaited = false

  constructor(nowMs: () => number, sendPing: (payload: Buffer) => void) {
    this.nowMs = nowMs
    this.#sendPing = sendPing
  }

  /** Null until the first PONG. */
  get ms(): number | null {
    return this.#roundTripMs
  }

  ping(): void {
    this.#sentAtMs = this.nowMs()
    this.#isAwaited = true
    const payload = Buffer.allocUnsafe(8)
    payload.writeDoubleBE(this.#sentAtMs)
    this.#sendPing(payload)
  }

  onPong(payload: Buffer): void {
    if (!this.#isAwaited || payload.readDoubleBE() !== this.#sentAtMs) return
    this.#isAwaited = false
    const sample = this.nowMs() - this.#sentAtMs
    const known = this.#roundTripMs ?? sample
    this.#roundTripMs = sample < known ? sample : known + (sample - known) / 8
  }

  /** Two round trips; asks for a new sample when the last one is old. */
  growthHorizonMs(): number {
    if (this.nowMs() - this.#sentAtMs > SAMPLE_AGE_MS) this.ping()
    return Math.max(2 * (this.#roundTripMs ?? 0), HORIZON_MIN_MS)
  }
}
