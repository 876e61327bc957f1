import { Type } from 'typebox'
import { described, nullable } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const aclRulesMax = 100
const AclRule = Type.String({ 'x-maxBytes': 512, description: '`*` or `bind:` and a name, address or label.' })

/** Rules for what may be bound; an empty list allows everything. */
export const Acl = Type.Array(AclRule, { maxItems: aclRulesMax })

/** An agent's authtoken. The token is in the reply to its creation and nowhere else. */
export const credentialModel = defineModel({
  name: 'Credential',
  title: 'credential',
  path: '/credentials',
  prefix: 'cr',
  listKey: 'credentials',
  create: {
    ...described,
    acl: Type.Optional(Acl),
    owner_id: Type.Optional(Type.String()),
  },
  update: { ...described, acl: Type.Optional(Acl) },
  reply: {
    ...described,
    acl: Acl,
    owner_id: Type.Optional(Type.String()),
    token: nullable(Type.String()),
  },
  fieldErrors: {
    'description:x-maxBytes': 'credential_description_too_long',
    'metadata:x-maxBytes': 'credential_metadata_too_long',
  },
  emptyPatch: 'credential_patch_empty',
  refusals: ['acl_rule_invalid', 'owner_needs_admin', 'owner_unknown', 'reference_malformed', 'reference_prefix_wrong'],
})
export type Credential = ReplyOf<typeof credentialModel>
