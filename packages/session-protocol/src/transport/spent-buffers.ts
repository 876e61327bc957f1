import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes read between two collections. */
const betweenBytes = 8 * 1024 * 1024

let readBytes = 0
let collectYoung: (() => void) | undefined

/**
 * To be told of the bytes that are read from sessions and upstreams. Behind each little object that such a read makes stand up to
 * 64 KiB outside the heap, which V8 does not weigh when it decides to collect young objects: at the pace of a slow visitor it takes
 * seconds until it does, and 13 to 24 MB wait to be freed.
 */
export function noteRead(bytes: number): void {
  readBytes += bytes
  if (readBytes < betweenBytes) return
  readBytes = 0
  collectYoung ??= youngCollection()
  collectYoung()
}

/** V8 gives its collector only to contexts that are made while the flag is set. */
function youngCollection(): () => void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: { readonly type: 'minor' }) => void
  setFlagsFromString('--no-expose-gc')
  return () => gc({ type: 'minor' })
}
