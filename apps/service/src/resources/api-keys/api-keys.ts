import { type ApiKey, apiKeyModel, mintToken } from '@tunnel/models'
import { chooseOwner, ownerReference } from '../bot-users/owner.ts'
import { defineResource } from '../kernel/definition.ts'
import { hashToken } from '../kernel/token.ts'

export interface ApiKeyBody extends Pick<ApiKey, 'description' | 'metadata'> {
  readonly owner_id: string
  readonly token_hash: string
}

export const apiKeys = defineResource<typeof apiKeyModel, ApiKeyBody>({
  model: apiKeyModel,
  create: ({ owner_id, ...texts }, call) => {
    const token = mintToken(call.id)
    const body = { ...texts, owner_id: chooseOwner(owner_id, call), token_hash: hashToken(token) }
    return { body, shownOnce: { token } }
  },
  references: ({ owner_id }) => ownerReference(owner_id),
  reply: ({ body: { description, metadata, owner_id } }) => ({ description, metadata, owner_id, token: null }),
})
