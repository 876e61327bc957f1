export interface KeyedRunnerOptions {
  /** How many runs go on at once; the others wait in the order of their submission. */
  readonly parallelMax: number
}

/** Runs work at most once at a time per key: who submits a key that is waiting or running joins that run. */
export class KeyedRunner implements AsyncDisposable {
  readonly #parallelMax: number
  readonly #submitted = new Map<string, Promise<void>>()
  readonly #waiting: (() => void)[] = []
  readonly #stopping = new AbortController()
  #running = 0

  constructor({ parallelMax }: KeyedRunnerOptions) {
    this.#parallelMax = parallelMax
  }

  /** Settles as `run` does. `run` is told by its signal when the service stops; after that nothing new begins. */
  submit(key: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const submitted = this.#submitted.get(key)
    if (submitted !== undefined) return submitted
    const started = this.#inTurn(run).finally(() => this.#submitted.delete(key))
    this.#submitted.set(key, started)
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#submitted.values())
  }

  async #inTurn(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#running >= this.#parallelMax) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      if (!this.#stopping.signal.aborted) await run(this.#stopping.signal)
    } finally {
      this.#passTurn()
    }
  }

  /** The turn goes over to who waits longest, so the count of running work stays as it is. */
  #passTurn(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running -= 1
    else next()
  }
}
