/** A part that runs while this process leads. Starts and stops follow each other, however fast the lead changes. */
export class LedPart {
  readonly #onProblem: (error: unknown) => void
  #start: (() => Promise<AsyncDisposable>) | undefined
  #running: AsyncDisposable | undefined
  #last: Promise<void> = Promise.resolve()

  constructor(onProblem: (error: unknown) => void) {
    this.#onProblem = onProblem
  }

  /** What to run; rejects when it should run now and does not start. */
  async setStart(start: () => Promise<AsyncDisposable>, isLeader: boolean): Promise<void> {
    this.#start = start
    if (isLeader) await this.#inTurn(() => this.#begin())
  }

  start(): Promise<void> {
    return this.#inTurn(() => this.#begin()).catch(this.#onProblem)
  }

  stop(): Promise<void> {
    return this.#inTurn(() => this.#end()).catch(this.#onProblem)
  }

  async #begin(): Promise<void> {
    this.#running ??= await this.#start?.()
  }

  async #end(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.[Symbol.asyncDispose]()
  }

  #inTurn(step: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(step)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
