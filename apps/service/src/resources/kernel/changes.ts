/** A stored resource was created, updated or deleted; told after the commit. */
export interface Change {
  readonly kind: string
  readonly id: string
  readonly accountId: string
  readonly change: 'created' | 'updated' | 'deleted'
}

type Listener = (change: Change) => void

/** Tells the parts that keep derived state (live sessions, routes, zones) what changed in the store. */
export class Changes {
  readonly #listeners = new Set<Listener>()
  #share: Listener = () => undefined

  /** Listens to changes of one type. Returns how to stop. */
  listen(kind: string, listener: Listener): () => void {
    return this.listenToAll((change) => {
      if (change.kind === kind) listener(change)
    })
  }

  /** Listens to changes of every type. Returns how to stop. */
  listenToAll(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Hands every change of this process on, to others that share the store. */
  shareWith(share: Listener): void {
    this.#share = share
  }

  announce(change: Change): void {
    this.hear(change)
    this.#share(change)
  }

  /** Another process has changed the store. */
  hear(change: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}
