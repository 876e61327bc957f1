import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** A set of rules about source addresses. */
export const ipPolicyModel = defineModel({
  name: 'IPPolicy',
  title: 'IP policy',
  path: '/ip_policies',
  prefix: 'ipp',
  listKey: 'ip_policies',
  create: described,
  update: described,
  reply: described,
  emptyPatch: 'ip_policy_patch_empty',
})
export type IpPolicy = ReplyOf<typeof ipPolicyModel>
