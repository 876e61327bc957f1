import { type Credential, credentialModel, mintToken } from '@tunnel/models'
import { chooseOwner, ownerReference } from '../bot-users/owner.ts'
import { defineResource } from '../kernel/definition.ts'
import { hashToken } from '../kernel/token.ts'
import { checkAcl } from './acl.ts'

export interface CredentialBody extends Pick<Credential, 'description' | 'metadata' | 'acl'> {
  readonly owner_id: string
  readonly token_hash: string
}

export const credentials = defineResource<typeof credentialModel, CredentialBody>({
  model: credentialModel,
  create: ({ owner_id, acl = [], ...texts }, call) => {
    checkAcl(acl)
    const token = mintToken(call.id)
    const body = { ...texts, acl, owner_id: chooseOwner(owner_id, call), token_hash: hashToken(token) }
    return { body, shownOnce: { token } }
  },
  update: (body, changes) => {
    checkAcl(changes.acl ?? [])
    return { ...body, ...changes }
  },
  references: ({ owner_id }) => ownerReference(owner_id),
  reply: ({ body: { description, metadata, acl, owner_id } }) => ({
    description,
    metadata,
    acl,
    owner_id,
    token: null,
  }),
  isBuried: true,
})
