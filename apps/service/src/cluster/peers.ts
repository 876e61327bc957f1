/** The service processes that share the store. */
export interface Peers extends AsyncDisposable {
  /** Tells all other processes, in order. Who is cut off meanwhile hears of a gap when it is back. */
  tell(topic: string, body: unknown): void
  /** Hears what the others tell; one message after the other. */
  listen(topic: string, onMessage: (body: unknown) => void | Promise<void>): void
  /** Messages may have been missed: what they would have changed must be read anew. */
  onGap(onGap: () => void | Promise<void>): void
  /**
   * Runs a part at one process at a time: started when the turn of this one comes, disposed of when it is lost. Resolves when
   * it is clear whose turn it is at first.
   */
  lead(start: () => Promise<AsyncDisposable>): Promise<void>
  /** Resolves when the others have had the time to act on what they were told. */
  settle(): Promise<void>
}

/** One process on a store of its own. */
export function noPeers(): Peers {
  let led: AsyncDisposable | undefined
  return {
    tell: () => undefined,
    listen: () => undefined,
    onGap: () => undefined,
    lead: async (start) => void (led = await start()),
    settle: () => Promise.resolve(),
    [Symbol.asyncDispose]: async () => led?.[Symbol.asyncDispose](),
  }
}
