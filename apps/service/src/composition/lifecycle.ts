/** Parts in the order in which they were started; stopped in the reverse order, each within its time limit. */
export class StartedParts {
  readonly #parts: { readonly name: string; readonly stop: () => Promise<void> }[] = []
  readonly #onProblem: (part: string, error: unknown) => void
  #stopping: Promise<void> | undefined

  constructor(onProblem: (part: string, error: unknown) => void) {
    this.#onProblem = onProblem
  }

  /** Notes a running part. */
  add<T extends AsyncDisposable>(name: string, part: T): T {
    this.#parts.push({ name, stop: async () => part[Symbol.asyncDispose]() })
    return part
  }

  /** Stops everything once; a part that fails or hangs does not keep the others running. */
  stop(partWithinMs: number): Promise<void> {
    this.#stopping ??= this.#stopAll(partWithinMs)
    return this.#stopping
  }

  async #stopAll(partWithinMs: number): Promise<void> {
    for (const { name, stop } of this.#parts.splice(0).reverse()) {
      try {
        await withinTime(stop(), partWithinMs)
      } catch (error) {
        this.#onProblem(name, error)
      }
    }
  }
}

async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not stopped within ${limitMs} ms`)), limitMs)
  try {
    await Promise.race([work, expired])
  } finally {
    clearTimeout(timer)
  }
}
