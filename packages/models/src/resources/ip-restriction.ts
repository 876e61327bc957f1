import { Type } from 'typebox'
import { Ref, described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const ipPoliciesPerUseMax = 50
const PolicyIds = Type.Array(Type.String(), { minItems: 1, maxItems: ipPoliciesPerUseMax })
const Surface = Type.Enum(['dashboard', 'api', 'agent', 'endpoints'])

/** The policies that guard one surface of the whole account. */
export const ipRestrictionModel = defineModel({
  name: 'IPRestriction',
  title: 'IP restriction',
  path: '/ip_restrictions',
  prefix: 'ipx',
  listKey: 'ip_restrictions',
  create: { ...described, type: Surface, ip_policy_ids: PolicyIds, enforced: Type.Optional(Type.Boolean()) },
  update: { ...described, ip_policy_ids: Type.Optional(PolicyIds), enforced: Type.Optional(Type.Boolean()) },
  reply: { ...described, type: Surface, enforced: Type.Boolean(), ip_policies: Type.Array(Ref) },
  fieldErrors: {
    'type:enum': 'ip_restriction_type_invalid',
    'ip_policy_ids:required': 'ip_restriction_without_policy',
    'ip_policy_ids:minItems': 'ip_restriction_without_policy',
    'ip_policy_ids:maxItems': 'ip_restriction_policies_too_many',
  },
  refusals: [
    'ip_policy_id_wrong',
    'ip_restriction_locks_out',
    'ip_restriction_policy_missing',
    'ip_restriction_taken',
    'reference_malformed',
  ],
})
export type IpRestriction = ReplyOf<typeof ipRestrictionModel>
