import { type IpRestriction, ServiceError, ipPolicyModel, ipRestrictionModel } from '@tunnel/models'
import { isInCidr } from '@tunnel/policy-engine'
import type { Call } from '../../api/caller.ts'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { refTo } from '../kernel/refs.ts'

export interface RestrictionBody extends Omit<IpRestriction, 'id' | 'uri' | 'created_at' | 'ip_policies'> {
  readonly ip_policy_ids: readonly string[]
}

interface AddressRule {
  readonly cidr: string
  readonly action: 'allow' | 'deny'
}

/** Reads the rules of an IP policy; none for one that is not there. */
type ReadRules = (policyId: string) => Promise<readonly AddressRule[]>

export function ipRestrictions(readRules: ReadRules): ResourceDefinition<typeof ipRestrictionModel, RestrictionBody> {
  return defineResource<typeof ipRestrictionModel, RestrictionBody>({
    model: ipRestrictionModel,
    create: async ({ enforced = false, ...input }, call) => {
      const body = { ...input, enforced }
      await refuseLockout(body, call, readRules)
      return { body }
    },
    update: async (before, changes, call) => {
      const body = { ...before, ...changes }
      await refuseLockout(body, call, readRules)
      return body
    },
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
}

/** Nobody shuts out the very way by which the request came: it would be the last one. */
async function refuseLockout(restriction: RestrictionBody, { caller, address }: Call, readRules: ReadRules) {
  const { type, enforced, ip_policy_ids } = restriction
  const usedSurface = caller.apiKeyId === null ? 'dashboard' : 'api'
  if (!enforced || type !== usedSurface || address === undefined) return
  const matching = (await Promise.all(ip_policy_ids.map(readRules)))
    .flat()
    .filter(({ cidr }) => isInCidr(address, cidr))
  const isAllowed = matching.length > 0 && matching.every(({ action }) => action === 'allow')
  if (!isAllowed) throw new ServiceError('ip_restriction_locks_out', { address, type })
}
