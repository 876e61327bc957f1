/** How many events are allowed: `burst` at once, refilled by `perSecond`. */
export class FrameBudget {
  readonly #burst: number
  readonly #perSecond: number
  readonly #now: () => number
  #left: number
  #countedAt: number

  constructor(burst: number, perSecond: number, now: () => number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#now = now
    this.#left = burst
    this.#countedAt = now()
  }

  /** False when there is nothing left to spend. */
  spend(): boolean {
    const now = this.#now()
    const refill = ((now - this.#countedAt) / 1000) * this.#perSecond
    this.#countedAt = now
    this.#left = Math.min(this.#burst, this.#left + refill) - 1
    return this.#left >= 0
  }
}
