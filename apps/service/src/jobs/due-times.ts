export interface DueTimesOptions {
  readonly nowMs: () => number
  /** Called with each key when its time has come, once. */
  readonly onDue: (key: string) => void
}

/** Above this `setTimeout` overflows and fires at once; also how long a step of the system clock can go unnoticed. */
const sleepMaxMs = 60_000

/**
 * Calls back when the wall clock reaches the time noted for a key. One timer serves all keys, and the time left is
 * computed anew at each wake, so that neither long delays nor a corrected clock lead it astray.
 */
export class DueTimes implements Disposable {
  readonly #nowMs: () => number
  readonly #onDue: (key: string) => void
  readonly #dueAtMs = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #wakesAtMs = Infinity
  #isStopped = false

  constructor({ nowMs, onDue }: DueTimesOptions) {
    this.#nowMs = nowMs
    this.#onDue = onDue
  }

  /** Notes or moves the time of a key; null forgets it. */
  set(key: string, dueAtMs: number | null): void {
    if (dueAtMs === null) this.#dueAtMs.delete(key)
    else this.#dueAtMs.set(key, dueAtMs)
    if (dueAtMs !== null && dueAtMs < this.#wakesAtMs) this.#sleepUntil(dueAtMs)
  }

  get size(): number {
    return this.#dueAtMs.size
  }

  [Symbol.dispose](): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #sleepUntil(dueAtMs: number): void {
    if (this.#isStopped) return
    clearTimeout(this.#timer)
    const sleepMs = Math.min(sleepMaxMs, Math.max(0, dueAtMs - this.#nowMs()))
    this.#wakesAtMs = dueAtMs
    this.#timer = setTimeout(() => this.#wake(), sleepMs)
  }

  #wake(): void {
    this.#wakesAtMs = Infinity
    const now = this.#nowMs()
    const due = [...this.#dueAtMs].filter(([, atMs]) => atMs <= now).map(([key]) => key)
    for (const key of due) this.#dueAtMs.delete(key)
    for (const key of due) this.#onDue(key)
    let earliest = Infinity
    for (const atMs of this.#dueAtMs.values()) earliest = Math.min(earliest, atMs)
    if (earliest !== Infinity) this.#sleepUntil(earliest)
  }
}
