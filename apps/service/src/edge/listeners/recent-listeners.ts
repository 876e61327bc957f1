import type { Server } from 'node:tls'

/** A bounded number of listeners by key; the least recently used is closed. Connections that it made go on. */
export class RecentListeners {
  readonly #maxCount: number
  readonly #onDropped: () => void
  readonly #listeners = new Map<string, Server>()

  constructor(maxCount: number, onDropped: () => void) {
    this.#maxCount = maxCount
    this.#onDropped = onDropped
  }

  has(key: string): boolean {
    return this.#listeners.has(key)
  }

  get(key: string, create: () => Server): Server {
    const listener = this.#listeners.get(key) ?? create()
    this.#listeners.delete(key)
    this.#listeners.set(key, listener)
    if (this.#listeners.size > this.#maxCount) this.#dropOldest()
    return listener
  }

  close(): void {
    for (const listener of this.#listeners.values()) listener.close()
    this.#listeners.clear()
  }

  #dropOldest(): void {
    const [oldest] = this.#listeners
    if (oldest === undefined) return
    this.#listeners.delete(oldest[0])
    oldest[1].close()
    this.#onDropped()
  }
}
