/**
 * One time limit shared by many waits: a single coarse timer instead of one per wait.
 * All waits last equally long, so the order of insertion is the order of expiry.
 */
export class Deadlines<T> {
  readonly #waits = new Map<T, number>()
  readonly #limitMs: number
  readonly #now: () => number
  readonly #onExpired: (item: T) => void

  constructor(limitMs: number, now: () => number, onExpired: (item: T) => void) {
    this.#limitMs = limitMs
    this.#now = now
    this.#onExpired = onExpired
  }

  /** Begins the wait, or begins it anew. */
  start(item: T): void {
    this.#waits.delete(item)
    this.#waits.set(item, this.#now() + this.#limitMs)
  }

  stop(item: T): void {
    this.#waits.delete(item)
  }

  /** Ends what has lasted too long. */
  expire(): void {
    const now = this.#now()
    for (const [item, deadline] of this.#waits) {
      if (deadline > now) return
      this.#waits.delete(item)
      this.#onExpired(item)
    }
  }
}
