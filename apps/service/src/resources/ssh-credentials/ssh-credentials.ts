import { ServiceError, type SshCredential, sshCredentialModel } from '@tunnel/models'
import { PublicKeyError, formatPublicKey, parsePublicKey } from '@tunnel/ssh-certificates'
import { chooseOwner, ownerReference } from '../bot-users/owner.ts'
import { checkAcl } from '../credentials/acl.ts'
import { defineResource } from '../kernel/definition.ts'

export interface SshCredentialBody extends Pick<SshCredential, 'description' | 'metadata' | 'acl' | 'public_key'> {
  readonly owner_id: string
}

export const sshCredentials = defineResource<typeof sshCredentialModel, SshCredentialBody>({
  model: sshCredentialModel,
  create: ({ owner_id, acl = [], public_key, ...texts }, call) => {
    checkAcl(acl)
    canonicalKey(public_key)
    return { body: { ...texts, acl, public_key, owner_id: chooseOwner(owner_id, call) } }
  },
  update: (body, changes) => {
    checkAcl(changes.acl ?? [])
    return { ...body, ...changes }
  },
  references: ({ owner_id }) => ownerReference(owner_id),
  uniqueKeys: ({ public_key }) => [
    {
      name: 'ssh_public_key',
      value: canonicalKey(public_key),
      taken: 'ssh_credential_key_taken',
      takenByOther: 'ssh_credential_key_taken_by_other',
    },
  ],
  reply: ({ body }) => body,
})

/** The key without its comment. */
function canonicalKey(line: string): string {
  try {
    return formatPublicKey(parsePublicKey(line))
  } catch (error) {
    if (!(error instanceof PublicKeyError)) throw error
    throw new ServiceError(
      'ssh_credential_key_unparsable',
      { field: 'public_key', problem: `cannot be used: ${error.message}` },
      { cause: error },
    )
  }
}
