import type { IpPolicy } from '@tunnel/policy-engine'
import type { AddressFilter } from '../edge/edge-route.ts'
import { AddressRules, type AddressRule } from './address-rules.ts'
import { type ItemSource, Mirror } from './mirror.ts'

/** The rules of all IP policies in memory, in the form in which they are asked. The policies themselves stay in the store. */
export class AddressFilters {
  readonly #policies: Pick<ItemSource<object>, 'find'>
  readonly #rules: Mirror<AddressRule>
  /** By policy; a policy may hold thousands of ranges. */
  readonly #ofPolicy = new Map<string, AddressRules>()

  private constructor(policies: Pick<ItemSource<object>, 'find'>, rules: Mirror<AddressRule>) {
    this.#policies = policies
    this.#rules = rules
  }

  static async load(
    policies: Pick<ItemSource<object>, 'find'>,
    rules: ItemSource<AddressRule>,
  ): Promise<AddressFilters> {
    return new AddressFilters(policies, await Mirror.load(rules))
  }

  /** Which of these policies the account has. */
  async ownedBy(accountId: string, policyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await Promise.all(policyIds.map((id) => this.#policies.find(id)))
    return new Set(found.flatMap((policy) => (policy?.accountId === accountId ? [policy.id] : [])))
  }

  /** A policy in the form in which traffic policies ask it, always as it is now. One that is gone lets nobody pass. */
  ipPolicy(policyId: string): IpPolicy {
    return { decide: (address) => this.#policy(policyId).decide(address) }
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
    if ((await this.#policies.find(id)) === undefined) this.#rules.removeChildrenOf(id)
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
