import { Type } from 'typebox'
import { Ref, described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

const Cidr = Type.String({ 'x-maxBytes': 50, description: 'IPv4 or IPv6 network, such as 192.0.2.0/24.' })
const RuleAction = Type.Enum(['allow', 'deny'])

/** One network that a policy allows or denies. */
export const ipPolicyRuleModel = defineModel({
  name: 'IPPolicyRule',
  title: 'IP policy rule',
  path: '/ip_policy_rules',
  prefix: 'ipr',
  listKey: 'ip_policy_rules',
  create: { ...described, cidr: Cidr, ip_policy_id: Type.String(), action: RuleAction },
  update: { ...described, cidr: Type.Optional(Cidr) },
  reply: { ...described, cidr: Cidr, ip_policy: Ref, action: RuleAction },
  fieldErrors: {
    'cidr:required': 'ip_rule_field_missing',
    'ip_policy_id:required': 'ip_rule_field_missing',
    'action:required': 'ip_rule_field_missing',
    'action:enum': 'ip_rule_action_invalid',
    'cidr:x-maxBytes': 'cidr_invalid',
    'description:x-maxBytes': 'ip_rule_description_too_long',
  },
  emptyPatch: 'ip_rule_patch_empty',
  refusals: [
    'cidr_invalid',
    'cidr_not_lowest',
    'cidr_taken',
    'cidr_without_mask',
    'ip_policy_id_wrong',
    'ip_policy_not_found',
    'reference_malformed',
  ],
})
export type IpPolicyRule = ReplyOf<typeof ipPolicyRuleModel>
