import type { Peers } from '../cluster/peers.ts'
import { peerTopics } from './peer-topics.ts'
import type { Change, Changes } from '../resources/kernel/changes.ts'

/** What one process changes in the store, all that share it take notice of. */
export function shareChanges(changes: Changes, peers: Peers): void {
  changes.shareWith((change) => peers.tell(peerTopics.change, change))
  peers.listen(peerTopics.change, (change) => changes.hear(change as Change))
}
