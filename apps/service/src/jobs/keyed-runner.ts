import { Turns } from './turns.ts'

export interface KeyedRunnerOptions {
  /** How many runs go on at once; the others wait, each owner's in the order of their submission. */
  readonly parallelMax: number
}

/** Runs work at most once at a time per key: who submits a key that is waiting or running joins that run. */
export class KeyedRunner implements AsyncDisposable {
  readonly #submitted = new Map<string, Promise<void>>()
  readonly #turns: Turns
  readonly #stopping = new AbortController()

  constructor({ parallelMax }: KeyedRunnerOptions) {
    this.#turns = new Turns(parallelMax)
  }

  /** Settles as `run` does. `run` is told by its signal when the service stops; after that nothing new begins. */
  submit(key: string, owner: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const submitted = this.#submitted.get(key)
    if (submitted !== undefined) return submitted
    const started = this.#inTurn(owner, run).finally(() => this.#submitted.delete(key))
    this.#submitted.set(key, started)
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled(this.#submitted.values())
  }

  async #inTurn(owner: string, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
    using _turn = await this.#turns.take(owner)
    if (!this.#stopping.signal.aborted) await run(this.#stopping.signal)
  }
}
