/** What a visitor has said before anything came back, kept for an upstream that takes the place of one that was never reached. */
export class EarlyBytes {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #isComplete = true
  length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Null: it was too much, or nobody can want it any more. */
  get chunks(): readonly Buffer[] | null {
    return this.#isComplete ? this.#chunks : null
  }

  add(chunk: Buffer): void {
    this.length += chunk.length
    if (this.length > this.#maxBytes) this.forget()
    else if (this.#isComplete) this.#chunks.push(chunk)
  }

  forget(): void {
    this.#isComplete = false
    this.#chunks = []
  }
}
