type OnMessage = (body: unknown) => void | Promise<void>

/** Above this many the rest is dropped, and everything is read anew instead. */
const waitingMax = 1_000

/** Hands messages to the listeners of their topic, one after the other; a lost one becomes a gap. */
export class MessageQueue {
  static readonly gapTopic = 'gap'
  readonly #onProblem: (error: unknown) => void
  readonly #listeners = new Map<string, OnMessage>()
  readonly #gapListeners: (() => void | Promise<void>)[] = []
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  constructor(onProblem: (error: unknown) => void) {
    this.#onProblem = onProblem
    this.listen(MessageQueue.gapTopic, async () => {
      for (const onGap of this.#gapListeners) await onGap()
    })
  }

  listen(topic: string, onMessage: OnMessage): void {
    this.#listeners.set(topic, onMessage)
  }

  onGap(onGap: () => void | Promise<void>): void {
    this.#gapListeners.push(onGap)
  }

  add(topic: string, body: unknown): void {
    if (this.#waiting > waitingMax) return
    const isTooMany = this.#waiting === waitingMax
    this.#waiting += 1
    this.#last = this.#last.then(() => this.#handle(isTooMany ? MessageQueue.gapTopic : topic, body))
  }

  noteGap(): void {
    this.add(MessageQueue.gapTopic, null)
  }

  async #handle(topic: string, body: unknown): Promise<void> {
    this.#waiting -= 1
    try {
      await this.#listeners.get(topic)?.(body)
    } catch (error) {
      this.#onProblem(error)
    }
  }
}
