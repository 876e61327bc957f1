import { CidrSet } from '@tunnel/policy-engine'

export interface AddressRule {
  readonly cidr: string
  readonly action: 'allow' | 'deny'
}

/** The union of rules: an address may pass when an allow rule matches it and no deny rule does. */
export class AddressRules {
  readonly #allowed: CidrSet
  readonly #denied: CidrSet

  constructor(rules: readonly AddressRule[]) {
    const blocks = (action: AddressRule['action']) =>
      rules.filter((rule) => rule.action === action).map(({ cidr }) => cidr)
    this.#allowed = new CidrSet(blocks('allow'))
    this.#denied = new CidrSet(blocks('deny'))
  }

  /** The rule that decides on an address; undefined when none matches. */
  decide(address: string): { readonly action: AddressRule['action']; readonly cidr: string } | undefined {
    const denied = this.#denied.find(address)
    if (denied !== undefined) return { action: 'deny', cidr: denied }
    const allowed = this.#allowed.find(address)
    return allowed === undefined ? undefined : { action: 'allow', cidr: allowed }
  }

  /** False also for text that is no address. */
  isAllowed(address: string): boolean {
    return this.decide(address)?.action === 'allow'
  }
}
