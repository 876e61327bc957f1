import { exposedCollector } from '@tunnel/session-protocol'

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
  const collect = exposedCollector()
  return () => void collect({ type: 'major', execution: 'async' })
}
