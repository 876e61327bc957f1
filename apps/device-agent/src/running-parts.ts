/** What has been started, to be stopped in the reverse order. Node 20 has no AsyncDisposableStack. */
export class RunningParts implements AsyncDisposable {
  readonly #stops: (() => PromiseLike<unknown>)[] = []

  use<T extends AsyncDisposable>(part: T): T {
    this.defer(() => part[Symbol.asyncDispose]())
    return part
  }

  defer(stop: () => PromiseLike<unknown>): void {
    this.#stops.push(stop)
  }

  /** Stops everything, also when one part fails to stop; then throws what failed first. */
  async [Symbol.asyncDispose](): Promise<void> {
    const failures: unknown[] = []
    for (let stop = this.#stops.pop(); stop !== undefined; stop = this.#stops.pop()) {
      await stop().then(undefined, (error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}
