import { Type } from 'typebox'
import { described, nullable } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** A secret for the management API. The token is in the reply to its creation and nowhere else. */
export const apiKeyModel = defineModel({
  name: 'APIKey',
  title: 'API key',
  path: '/api_keys',
  prefix: 'ak',
  listKey: 'keys',
  create: { ...described, owner_id: Type.Optional(Type.String()) },
  update: described,
  reply: { ...described, owner_id: Type.Optional(Type.String()), token: nullable(Type.String()) },
  fieldErrors: {
    'description:x-maxBytes': 'credential_description_too_long',
    'metadata:x-maxBytes': 'credential_metadata_too_long',
  },
  emptyPatch: 'credential_patch_empty',
  refusals: ['owner_needs_admin', 'owner_unknown', 'reference_malformed', 'reference_prefix_wrong'],
})
export type ApiKey = ReplyOf<typeof apiKeyModel>
