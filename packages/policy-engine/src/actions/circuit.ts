export interface CircuitLimits {
  /** Share of failures, 0 to 1, at which the circuit opens. */
  readonly errorThreshold: number
  /** Requests in the window below which it stays closed whatever fails. */
  readonly volumeThreshold: number
  readonly windowMs: number
  /** Parts of the window that expire one by one. */
  readonly buckets: number
  /** How long it stays open before one request may try again. */
  readonly trippedMs: number
}

type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'open'; readonly untilMs: number }
  | { readonly kind: 'probing'; readonly untilMs: number }

/** Cuts off an upstream that fails too often. After a pause one probe decides whether traffic comes back. */
export class Circuit {
  readonly #limits: CircuitLimits
  readonly #successes: Float64Array
  readonly #failures: Float64Array
  #newestBucket = 0
  #state: State = { kind: 'closed' }

  constructor(limits: CircuitLimits) {
    this.#limits = limits
    this.#successes = new Float64Array(limits.buckets)
    this.#failures = new Float64Array(limits.buckets)
  }

  /** 0: go ahead, and report the result. Otherwise the time in ms after which another try makes sense. */
  admit(nowMs: number): number {
    if (this.#state.kind === 'closed') return 0
    const waitMs = this.#state.untilMs - nowMs
    if (waitMs > 0) return waitMs
    // A probe whose result never comes makes room for the next one.
    this.#state = { kind: 'probing', untilMs: nowMs + this.#limits.trippedMs }
    return 0
  }

  report(isFailure: boolean, nowMs: number): void {
    if (this.#state.kind === 'probing') return isFailure ? this.#open(nowMs) : this.#close()
    if (this.#state.kind === 'open') return
    this.#advance(nowMs)
    const counts = isFailure ? this.#failures : this.#successes
    const index = this.#newestBucket % this.#limits.buckets
    counts[index] = (counts[index] ?? 0) + 1
    if (isFailure && this.#isTooBad()) this.#open(nowMs)
  }

  #isTooBad(): boolean {
    const failures = sum(this.#failures)
    const total = failures + sum(this.#successes)
    return total >= this.#limits.volumeThreshold && failures / total >= this.#limits.errorThreshold
  }

  #open(nowMs: number): void {
    this.#state = { kind: 'open', untilMs: nowMs + this.#limits.trippedMs }
  }

  #close(): void {
    this.#state = { kind: 'closed' }
    this.#successes.fill(0)
    this.#failures.fill(0)
  }

  #advance(nowMs: number): void {
    const { buckets, windowMs } = this.#limits
    const bucket = Math.floor(nowMs / (windowMs / buckets))
    const steps = Math.min(bucket - this.#newestBucket, buckets)
    for (let step = 1; step <= steps; step++) {
      const index = (this.#newestBucket + step) % buckets
      this.#successes[index] = 0
      this.#failures[index] = 0
    }
    if (bucket > this.#newestBucket) this.#newestBucket = bucket
  }
}

function sum(counts: Float64Array): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
