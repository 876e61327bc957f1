import type { IpPolicy } from '@tunnel/policy-engine'
import type { AddressFilter } from '../edge/edge-route.ts'
import { AddressRules, type AddressRule } from './address-rules.ts'
import { type ItemSource, Mirror } from './mirror.ts'

/** The rules of all IP policies in memory, in the form in which they are asked. */
export class AddressFilters {
  readonly #policies: Mirror<object>
  readonly #rules: Mirror<AddressRule>
  /** By policy; a policy may hold thousands of ranges. */
  readonly #ofPolicy = new Map<string, AddressRules>()

  private constructor(policies: Mirror<object>, rules: Mirror<AddressRule>) {
    this.#policies = policies
    this.#rules = rules
  }

  static async load(policies: ItemSource<object>, rules: ItemSource<AddressRule>): Promise<AddressFilters> {
    return new AddressFilters(await Mirror.load(policies), await Mirror.load(rules))
  }

  /** Whether the account has the policy. */
  has(accountId: string, policyId: string): boolean {
    return this.#policies.get(policyId)?.accountId === accountId
  }

  /** A policy in the form in which traffic policies ask it, always as it is now. It throws once the account has it no more. */
  ipPolicy(accountId: string, policyId: string): IpPolicy {
    return {
      decide: (address) => {
        if (!this.has(accountId, policyId)) throw new Error('the IP policy is gone')
        return this.#policy(policyId).decide(address)
      },
    }
  }

  /** The union of the policies' rules, as they are now. */
  union(policyIds: readonly string[]): AddressFilter {
    const [only, ...others] = policyIds
    if (only !== undefined && others.length === 0) return this.#policy(only)
    return new AddressRules(policyIds.flatMap((id) => this.#rulesOf(id)))
  }

  /** Takes over one change of the store. `kind` is the id prefix; changes of other types are none of ours. */
  async refresh(kind: string, id: string): Promise<void> {
    if (kind === 'ipp') return this.#refreshPolicy(id)
    if (kind !== 'ipr') return
    const { before, after } = await this.#rules.refresh(id)
    this.#ofPolicy.delete((after ?? before)?.parentId ?? '')
  }

  async #refreshPolicy(id: string): Promise<void> {
    const { after } = await this.#policies.refresh(id)
    if (after === undefined) this.#rules.removeChildrenOf(id)
    this.#ofPolicy.delete(id)
  }

  #policy(policyId: string): AddressRules {
    const known = this.#ofPolicy.get(policyId)
    if (known !== undefined) return known
    const filter = new AddressRules(this.#rulesOf(policyId))
    this.#ofPolicy.set(policyId, filter)
    return filter
  }

  #rulesOf(policyId: string): AddressRule[] {
    return this.#rules.childrenOf(policyId).map(({ body }) => body)
  }
}
