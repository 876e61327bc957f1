/** How many events are allowed: `burst` at once, refilled by `perSecond`. */
export class EventBudget {
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

  /** False when there is nothing left to spend, which then costs nothing. */
  spend(): boolean {
    const now = this.#now()
    const refill = ((now - this.#countedAt) / 1000) * this.#perSecond
    this.#countedAt = now
    this.#left = Math.min(this.#burst, this.#left + refill)
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}
