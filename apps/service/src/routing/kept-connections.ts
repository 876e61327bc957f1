/** Ends a connection. */
type End = () => void

/** Connections that go through edges and are ended when their edge no longer publishes the place at which they came in. */
export class KeptConnections {
  readonly #byEdge = new Map<string, Map<End, () => boolean>>()

  /** Call the result once when the connection is over. */
  add(edgeId: string, end: End, isPublished: () => boolean): () => void {
    const ofEdge = this.#byEdge.get(edgeId) ?? new Map<End, () => boolean>()
    this.#byEdge.set(edgeId, ofEdge.set(end, isPublished))
    return () => {
      ofEdge.delete(end)
      if (ofEdge.size === 0 && this.#byEdge.get(edgeId) === ofEdge) this.#byEdge.delete(edgeId)
    }
  }

  /** What the edge publishes has changed. */
  review(edgeId: string): void {
    for (const [end, isPublished] of this.#byEdge.get(edgeId) ?? []) if (!isPublished()) end()
  }
}
