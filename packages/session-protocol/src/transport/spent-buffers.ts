import { exposedCollector } from './exposed-collector.ts'

/** Bytes read between two collections. */
const betweenBytes = 8 * 1024 * 1024

let readBytes = 0
let collect: ReturnType<typeof exposedCollector> | undefined

/**
 * To be told of the bytes that are read from sessions and upstreams. Behind each little object that such a read makes stand up to
 * 64 KiB outside the heap, which V8 does not weigh when it decides to collect young objects: at the pace of a slow visitor it takes
 * seconds until it does, and 13 to 24 MB wait to be freed.
 */
export function noteRead(bytes: number): void {
  readBytes += bytes
  if (readBytes < betweenBytes) return
  readBytes = 0
  collect ??= exposedCollector()
  collect({ type: 'minor' })
}
