import { type IpRestriction, ipPolicyModel, ipRestrictionModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { refTo } from '../kernel/refs.ts'

export interface RestrictionBody extends Omit<IpRestriction, 'id' | 'uri' | 'created_at' | 'ip_policies'> {
  readonly ip_policy_ids: readonly string[]
}

export const ipRestrictions = defineResource<typeof ipRestrictionModel, RestrictionBody>({
  model: ipRestrictionModel,
  create: ({ enforced = false, ...input }) => ({ body: { ...input, enforced } }),
  references: ({ ip_policy_ids }) =>
    ip_policy_ids.map((id) => referenceTo('ip_policy_ids', id, [ipPolicyModel], 'ip_restriction_policy_missing')),
  uniqueKeys: ({ type }, accountId) => [
    { name: 'ip_restriction_type', value: `${accountId} ${type}`, shown: type, taken: 'ip_restriction_taken' },
  ],
  reply: ({ body: { ip_policy_ids, ...shown } }, call) => ({
    ...shown,
    ip_policies: ip_policy_ids.map((id) => refTo(call, id, ipPolicyModel)),
  }),
})
