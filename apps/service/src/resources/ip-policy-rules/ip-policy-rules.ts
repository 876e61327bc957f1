import { type IpPolicyRule, ipPolicyModel, ipPolicyRuleModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { refTo } from '../kernel/refs.ts'
import { canonicalCidr, checkedCidr } from './cidr.ts'

export interface RuleBody extends Pick<IpPolicyRule, 'description' | 'metadata' | 'cidr' | 'action'> {
  readonly ip_policy_id: string
}

export const ipPolicyRules = defineResource<typeof ipPolicyRuleModel, RuleBody>({
  model: ipPolicyRuleModel,
  create: (input) => ({ body: { ...input, cidr: checkedCidr(input.cidr) } }),
  update: (body, { cidr = body.cidr, ...changes }) => ({ ...body, ...changes, cidr: checkedCidr(cidr) }),
  parent: ({ ip_policy_id }) => referenceTo('ip_policy_id', ip_policy_id, [ipPolicyModel], 'ip_policy_not_found'),
  uniqueKeys: ({ ip_policy_id, cidr }) => [
    { name: 'ip_rule_cidr', value: `${ip_policy_id} ${canonicalCidr(cidr)}`, shown: cidr, taken: 'cidr_taken' },
  ],
  reply: ({ body: { ip_policy_id, ...shown } }, call) => ({
    ...shown,
    ip_policy: refTo(call, ip_policy_id, ipPolicyModel),
  }),
})
