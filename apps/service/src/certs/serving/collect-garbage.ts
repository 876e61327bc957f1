import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * How to run a full collection. V8 counts a TLS context as one of its 30 to 45 KB, so that without being told it lets
 * hundreds of megabytes of dropped contexts pile up.
 */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major'; execution: 'async' }) => Promise<void>
  setFlagsFromString('--no-expose-gc')
  return () => void collect({ type: 'major', execution: 'async' })
}
