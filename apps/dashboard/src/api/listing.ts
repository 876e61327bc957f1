/** A resource as every table and detail page needs it. */
export interface Resource {
  readonly id: string
  readonly created_at?: string
  readonly description?: string
  readonly metadata?: string
}

/** A kind of resource that can be read, as the API client has it. */
export interface Listing<T> {
  readonly path: string
  get(id: string): Promise<T>
  all(): AsyncIterable<T>
}

/** A kind of resource that can be changed as well. Forms build the fields, the API judges them. */
export interface EditableListing<T> extends Listing<T> {
  create(fields: object): Promise<T>
  update(id: string, fields: object): Promise<T>
  delete(id: string): Promise<void>
}

/** More than this is not loaded into a page. */
const itemsMax = 20_000

/** A long list is shown when this many are there, and fills up. */
const startItems = 100
const idleLimitMs = 200

/** All items, newest first. `onStart` gets the first of a long list; the others are read while the browser is idle. */
export async function collect<T>(
  listing: Listing<T>,
  signal: AbortSignal,
  onStart: (items: readonly T[]) => void,
): Promise<readonly T[]> {
  const items: T[] = []
  for await (const item of listing.all()) {
    signal.throwIfAborted()
    if (items.push(item) >= itemsMax) break
    if (items.length === startItems) onStart([...items])
    if (items.length % startItems === 0) await idle()
  }
  return items
}

/** Drawing and input come first. Not every browser tells when it is idle. */
function idle(): Promise<unknown> {
  return new Promise((resolve) =>
    'requestIdleCallback' in globalThis
      ? requestIdleCallback(resolve, { timeout: idleLimitMs })
      : setTimeout(resolve, idleLimitMs / 10),
  )
}
