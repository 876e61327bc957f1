/** A bounded number of turns at a time. Owners who wait take them one after another, however many each of them wants. */
export class Turns {
  readonly #atOnceMax: number
  readonly #waiting = new Map<string, (() => void)[]>()
  #taken = 0

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax
  }

  /** Resolves when it is the turn of `owner`; disposal ends the turn. */
  async take(owner: string): Promise<Disposable> {
    if (this.#taken < this.#atOnceMax) this.#taken += 1
    else await new Promise<void>((resolve) => this.#enqueue(owner, resolve))
    return { [Symbol.dispose]: () => this.#pass() }
  }

  #enqueue(owner: string, begin: () => void): void {
    const queue = this.#waiting.get(owner)
    if (queue === undefined) this.#waiting.set(owner, [begin])
    else queue.push(begin)
  }

  /** The turn goes over to the next owner, who then stands behind all others. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#taken -= 1
      return
    }
    const [owner, queue] = next
    this.#waiting.delete(owner)
    queue.shift()?.()
    if (queue.length > 0) this.#waiting.set(owner, queue)
  }
}
