import type { CertificateUpkeep } from './certificate-upkeep.ts'
import type { Proofs, PublishedProofs } from '../certs/challenges/proofs.ts'
import type { Peers } from '../cluster/peers.ts'
import { peerTopics } from './peer-topics.ts'
import type { PublishedNames } from './published-names.ts'

export interface SharedUpkeepDeps {
  readonly peers: Peers
  readonly published: PublishedNames
  readonly proofs: Proofs
  readonly startUpkeep: () => Promise<CertificateUpkeep>
}

/**
 * One of the processes that share the store looks after all certificates; what it publishes and obtains reaches the others.
 * Returns where to tell of changed subjects.
 */
export async function shareUpkeep(deps: SharedUpkeepDeps): Promise<{ notice(subjectId: string): void }> {
  const { peers, published, proofs, startUpkeep } = deps
  let upkeep: CertificateUpkeep | undefined
  peers.listen(peerTopics.subjectConfirmed, (id) => published.confirmed(String(id)))
  peers.listen(peerTopics.subjectState, (id) => published.refresh(String(id)))
  peers.listen(peerTopics.proofs, (body) => proofs.replace(body as PublishedProofs))
  peers.listen(peerTopics.proofsWanted, () => {
    if (upkeep !== undefined) peers.tell(peerTopics.proofs, proofs.published)
  })
  peers.onGap(async () => {
    for (const id of await published.load()) upkeep?.notice(id)
    peers.tell(peerTopics.proofsWanted, null)
  })
  await peers.lead(async () => {
    const started = await startUpkeep()
    upkeep = started
    return {
      [Symbol.asyncDispose]: async () => {
        upkeep = undefined
        await started[Symbol.asyncDispose]()
      },
    }
  })
  peers.tell(peerTopics.proofsWanted, null)
  return { notice: (id) => upkeep?.notice(id) }
}
