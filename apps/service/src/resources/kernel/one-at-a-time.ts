/** Work on the same thing one after the other, in the order in which it was asked for. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>()

  /** Things that somebody works on or waits for. */
  get size(): number {
    return this.#last.size
  }

  /** Runs the work when all that was asked for before on the same key has ended, well or badly. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const outcome = before === undefined ? work() : before.then(work)
    const ended = outcome.then(
      () => undefined,
      () => undefined,
    )
    this.#last.set(key, ended)
    try {
      return await outcome
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key)
    }
  }
}
