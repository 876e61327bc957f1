import { mintId } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { Records, ResourceRow } from '../../storage/records.ts'
import type { Stored } from '../kernel/definition.ts'
import type { SshCertificateBody } from './certificate-body.ts'

const kind = 'sshrv'

interface Revocation {
  readonly key_id: string
  readonly valid_until: string
}

/** What remains of a deleted certificate until it would have expired; it disappears with the authority. */
export function revocationOf({ id, accountId, body }: Stored<SshCertificateBody>, call: Call): ResourceRow | undefined {
  const { valid_until, ssh_certificate_authority_id: parentId } = body
  const revocation: Revocation = { key_id: id, valid_until }
  if (isOver(revocation, call.now)) return undefined
  const row = { id: mintId(kind, call.now), kind, accountId, parentId, createdAt: call.now, revision: 0 }
  return { ...row, body: JSON.stringify(revocation) }
}

/** Key ids of the deleted certificates of an authority that have not expired. Forgets those that have. */
export async function revokedKeyIds(records: Records, authorityId: string, now: number): Promise<string[]> {
  const rows = await records.children(authorityId, kind)
  const revocations = rows.map(({ id, body }) => ({ id, ...(JSON.parse(body) as Revocation) }))
  for (const { id } of revocations.filter((revocation) => isOver(revocation, now))) await records.delete(id)
  return revocations.filter((revocation) => !isOver(revocation, now)).map((revocation) => revocation.key_id)
}

function isOver({ valid_until }: Revocation, now: number): boolean {
  return Date.parse(valid_until) <= now
}
