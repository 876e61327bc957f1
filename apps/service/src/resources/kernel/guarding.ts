import { type ResourceModel, ServiceError, idPrefix } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { Guards } from '../../storage/guards.ts'
import { GuardBroken, type Records, type ResourceRow } from '../../storage/records.ts'
import type { ResourceDefinition, UniqueRule } from './definition.ts'
import { type Reference, checkPrefixes, referenceMissing } from './references.ts'

const dependentsShownMax = 3

type GuardRules<M extends ResourceModel, Body extends object> = Pick<
  ResourceDefinition<M, Body>,
  'model' | 'references' | 'parent' | 'uniqueKeys' | 'exclusive' | 'inUse'
>

/** What must hold between resources of one type and all others: what they refer to, hold alone, and are needed by. */
export class Guarding<M extends ResourceModel, Body extends object> {
  readonly #rules: GuardRules<M, Body>
  readonly #records: Records

  constructor(rules: GuardRules<M, Body>, records: Records) {
    this.#rules = rules
    this.#records = records
  }

  /** What the store is to guard for a body. */
  of(body: Body, accountId: string): Guards {
    return {
      links: this.#references(body).map((reference) => reference.id),
      uniqueKeys: this.#uniqueRules(body, accountId).map(({ name, value }) => ({ name, value })),
      exclusive: this.#rules.exclusive?.(body).spans ?? [],
    }
  }

  /** Throws for the first reference of a body that leads to nothing in the account. */
  async check(body: Body, accountId: string): Promise<void> {
    await this.#checkReferences(this.#references(body), accountId)
  }

  /** The parent that the path or the body names, which must exist in the account. */
  async parentId(body: Body, { caller, parentId }: Call): Promise<string | null> {
    if (parentId !== undefined) {
      const isThere =
        idPrefix(parentId) === this.#rules.model.parentPrefix &&
        (await this.#records.existing(caller.accountId, [parentId])).has(parentId)
      if (!isThere) throw new ServiceError('not_found')
      return parentId
    }
    const parent = this.#rules.parent?.(body)
    if (parent !== undefined) await this.#checkReferences([parent], caller.accountId)
    return parent?.id ?? null
  }

  /** Names what the store refuses in `work`: a taken value, or a reference that was deleted a moment ago. */
  async name<T>(row: ResourceRow, body: Body, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof GuardBroken)) throw error
      if (error.guard !== 'reference') await this.#throwTaken(row, this.#uniqueRules(body, row.accountId))
      if (error.guard === 'span') this.#throwOccupied(body)
      await this.check(body, row.accountId)
      throw new ServiceError('changed_meanwhile', {}, { cause: error })
    }
  }

  async refuseWhileInUse(id: string): Promise<void> {
    const dependents = await this.#records.dependentsOf(id, dependentsShownMax)
    if (dependents.length === 0) return
    const reason = this.#rules.inUse ?? 'resource_in_use'
    throw new ServiceError(reason as 'resource_in_use', {
      id,
      title: this.#rules.model.title,
      dependents: dependents.join(', '),
    })
  }

  #references(body: Body): readonly Reference[] {
    return this.#rules.references?.(body) ?? []
  }

  #uniqueRules(body: Body, accountId: string): readonly UniqueRule[] {
    return this.#rules.uniqueKeys?.(body, accountId) ?? []
  }

  async #checkReferences(references: readonly Reference[], accountId: string): Promise<void> {
    if (references.length === 0) return
    checkPrefixes(references)
    const ids = references.map((reference) => reference.id)
    const existing = await this.#records.existing(accountId, ids)
    const missing = references.find((reference) => !existing.has(reference.id))
    if (missing !== undefined) throw referenceMissing(missing)
  }

  #throwOccupied(body: Body): void {
    const rule = this.#rules.exclusive?.(body)
    if (rule !== undefined) throw new ServiceError(rule.taken as 'domain_overlaps_other', { value: rule.shown })
  }

  async #throwTaken(row: ResourceRow, rules: readonly UniqueRule[]): Promise<void> {
    for (const rule of rules) {
      const holder = await this.#records.holderOf(rule)
      if (holder === undefined || holder.id === row.id) continue
      const isOther = holder.accountId !== row.accountId && rule.takenByOther !== undefined
      const reason = isOther ? rule.takenByOther : rule.taken
      throw new ServiceError(reason as 'bot_user_name_taken', { value: rule.shown ?? rule.value })
    }
  }
}
