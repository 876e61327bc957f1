import { type IpPolicy, ipPolicyModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'

type IpPolicyBody = Pick<IpPolicy, 'description' | 'metadata'>

export const ipPolicies = defineResource<typeof ipPolicyModel, IpPolicyBody>({
  model: ipPolicyModel,
  create: (texts) => ({ body: texts }),
  reply: ({ body }) => body,
  inUse: 'ip_policy_in_use',
})
