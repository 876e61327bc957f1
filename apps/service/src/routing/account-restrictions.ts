import type { AddressFilter } from '../edge/edge-route.ts'
import type { AddressFilters } from './address-filters.ts'
import { type ItemSource, Mirror, type MirroredItem } from './mirror.ts'

/** What a restriction of a whole account guards. */
export type RestrictedSurface = 'dashboard' | 'api' | 'agent' | 'endpoints'

export interface StoredRestriction {
  readonly type: RestrictedSurface
  /** False: addresses that would be refused are only reported. */
  readonly enforced: boolean
  readonly ip_policy_ids: readonly string[]
}

/** Told of every address that a restriction does not allow. */
export type ReportOutsider = (outsider: {
  readonly accountId: string
  readonly surface: RestrictedSurface
  readonly address: string
  readonly isRefused: boolean
}) => void

/** The account-wide restrictions as they act. An account has at most one for each surface. */
export class AccountRestrictions {
  readonly #stored: Mirror<StoredRestriction>
  readonly #filters: AddressFilters
  readonly #report: ReportOutsider
  readonly #bySurface = new Map<string, MirroredItem<StoredRestriction>>()
  readonly #compiled = new Map<string, AddressFilter>()
  readonly #listeners = new Set<() => void>()

  private constructor(stored: Mirror<StoredRestriction>, filters: AddressFilters, report: ReportOutsider) {
    this.#stored = stored
    this.#filters = filters
    this.#report = report
    for (const item of stored.values()) this.#bySurface.set(keyOf(item), item)
  }

  static async load(
    source: ItemSource<StoredRestriction>,
    filters: AddressFilters,
    report: ReportOutsider,
  ): Promise<AccountRestrictions> {
    return new AccountRestrictions(await Mirror.load(source), filters, report)
  }

  /** Null: every address may use this surface of the account. */
  find(accountId: string, surface: RestrictedSurface): AddressFilter | null {
    if (this.#bySurface.size === 0) return null
    const key = `${accountId} ${surface}`
    const item = this.#bySurface.get(key)
    return item === undefined ? null : (this.#compiled.get(key) ?? this.#compile(key, item))
  }

  /** What `find` answers, for those who ask about one surface alone. */
  at(surface: RestrictedSurface): { find(accountId: string): AddressFilter | null } {
    return { find: (accountId) => this.find(accountId, surface) }
  }

  /** Like `find`, but looks at the store again before it refuses: what an operator has changed there counts. */
  async admits(accountId: string, surface: RestrictedSurface, address: string): Promise<boolean> {
    if (this.find(accountId, surface)?.isAllowed(address) ?? true) return true
    const id = this.#bySurface.get(`${accountId} ${surface}`)?.id
    if (id !== undefined) await this.#refreshRestriction(id)
    return this.find(accountId, surface)?.isAllowed(address) ?? true
  }

  /** Told when an address may have been shut out. */
  listen(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Takes over one change of the store; the filters have done so before. */
  async refresh(kind: string, id: string): Promise<void> {
    if (kind === 'ipx') await this.#refreshRestriction(id)
    else if (kind === 'ipr' || kind === 'ipp') this.#compiled.clear()
    else return
    for (const listener of this.#listeners) listener()
  }

  async #refreshRestriction(id: string): Promise<void> {
    const { before, after } = await this.#stored.refresh(id)
    if (before !== undefined) this.#bySurface.delete(keyOf(before))
    if (after !== undefined) this.#bySurface.set(keyOf(after), after)
    this.#compiled.clear()
  }

  #compile(key: string, { accountId, body }: MirroredItem<StoredRestriction>): AddressFilter {
    const rules = this.#filters.union(body.ip_policy_ids)
    const { type: surface, enforced } = body
    const filter = {
      isAllowed: (address: string) => {
        const isInside = rules.isAllowed(address)
        if (!isInside) this.#report({ accountId, surface, address, isRefused: enforced })
        return isInside || !enforced
      },
    }
    this.#compiled.set(key, filter)
    return filter
  }
}

function keyOf({ accountId, body }: MirroredItem<StoredRestriction>): string {
  return `${accountId} ${body.type}`
}
