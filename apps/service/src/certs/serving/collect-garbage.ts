import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const droppedPerCollection = 250

/**
 * To be told of every TLS context that is dropped: has their memory freed after every few hundred. V8 counts a context as one
 * of its 30 to 45 KB, so that without being told it lets hundreds of megabytes of them pile up.
 */
export function freeDroppedContexts(collect = garbageCollector()): () => void {
  let dropped = 0
  return () => {
    dropped += 1
    if (dropped % droppedPerCollection === 0) collect()
  }
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'major'; execution: 'async' }) => Promise<void>
  setFlagsFromString('--no-expose-gc')
  return () => void collect({ type: 'major', execution: 'async' })
}
