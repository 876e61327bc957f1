import {
  type CreateOf,
  type ReplyOf,
  type ResourceModel,
  ServiceError,
  type UpdateOf,
  idPrefix,
  mintId,
  wireTime,
} from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { Page } from '../../api/paging.ts'
import { GuardBroken, type Guards, type Records, type ResourceRow } from '../../storage/records.ts'
import type { Changes } from './changes.ts'
import type { Draft, ResourceDefinition, Stored, UniqueRule } from './definition.ts'
import { type Reference, checkPrefixes, referenceMissing } from './references.ts'
import { withoutEmptyTexts } from './tolerance.ts'

const updateAttemptsMax = 5
const dependentsShownMax = 3

/** What every resource works with. */
export interface ResourceParts {
  readonly records: Records
  readonly changes: Changes
}

/** One resource type at work: applies the rules of its definition and stores the outcome. */
export class Resource<M extends ResourceModel = ResourceModel, Body extends object = object> {
  readonly definition: ResourceDefinition<M, Body>
  readonly #records: Records
  readonly #changes: Changes

  constructor(definition: ResourceDefinition<M, Body>, { records, changes }: ResourceParts) {
    this.definition = definition
    this.#records = records
    this.#changes = changes
  }

  get model(): M {
    return this.definition.model
  }

  async create(input: CreateOf<M>, call: Call): Promise<ReplyOf<M>> {
    this.definition.checkCaller?.(call)
    const id = mintId(this.model.prefix, call.now)
    const draft = await this.definition.create(input, { ...call, id })
    const item = await this.#insert(id, draft, call)
    await this.#confirm(item)
    this.#changes.announce({ kind: this.model.prefix, id, accountId: item.accountId, change: 'created' })
    const reply = await this.reply(item, call)
    return { ...reply, ...draft.shownOnce }
  }

  /** Throws `not_found` for an unknown id and for one of another account alike. */
  async get(id: string, call: Call): Promise<Stored<Body>> {
    return this.#read(await this.#row(id, call))
  }

  /** Newest first; one item more than the page when another page follows. */
  async list(page: Page, call: Call): Promise<Stored<Body>[]> {
    const rows = await this.#records.list(call.caller.accountId, this.model.prefix, page.limit + 1, page.beforeId)
    return rows.map((row) => this.#read(row))
  }

  async update(id: string, changes: UpdateOf<M>, call: Call): Promise<Stored<Body>> {
    return this.change(id, call, async (body) => {
      const updated = await this.definition.update?.(body, changes, { ...call, id })
      return withoutEmptyTexts(updated ?? { ...body, ...changes })
    })
  }

  /** Replaces the body by what `next` makes of it; `next` runs again when somebody else changed it meanwhile. */
  async change(id: string, call: Call, next: (body: Body) => Body | Promise<Body>): Promise<Stored<Body>> {
    this.definition.checkCaller?.(call)
    for (let attempt = 0; attempt < updateAttemptsMax; attempt += 1) {
      const changed = await this.#tryChange(await this.#row(id, call), next)
      if (changed !== null) return changed
    }
    throw new ServiceError('changed_meanwhile')
  }

  async delete(id: string, call: Call): Promise<void> {
    this.definition.checkCaller?.(call)
    const item = await this.get(id, call)
    await this.definition.checkDelete?.(item, call)
    await this.#refuseWhileInUse(id)
    if (this.definition.isBuried === true) await this.#records.bury(id, call.now)
    const remains = this.definition.remains?.(item, call)
    const isDeleted = await this.#records.delete(id, remains).catch(async (error: unknown) => {
      if (error instanceof GuardBroken) await this.#refuseWhileInUse(id)
      throw error
    })
    if (!isDeleted) throw new ServiceError('not_found')
    this.#changes.announce({ kind: this.model.prefix, id, accountId: item.accountId, change: 'deleted' })
  }

  /** The wire form of a stored item. */
  async reply(item: Stored<Body>, call: Call): Promise<ReplyOf<M>> {
    const own = await this.definition.reply(item, call)
    return { id: item.id, uri: this.uri(item, call), created_at: wireTime(item.createdAt), ...own } as ReplyOf<M>
  }

  uri({ id, parentId }: Pick<Stored<Body>, 'id' | 'parentId'>, call: Call): string {
    const path = `${this.model.path.replace(/\{\w+\}/, parentId ?? '')}/${id}`
    return this.definition.hasRelativeUri === true ? path : call.baseUrl + path
  }

  /** For parts of the service that act for nobody in particular: the item in whatever account it is. */
  async find(id: string): Promise<Stored<Body> | undefined> {
    const row = await this.#records.get(this.model.prefix, id)
    return row && this.#read(row)
  }

  /** The holder of a unique value, in whatever account it is. */
  async findByKey(name: string, value: string): Promise<Stored<Body> | undefined> {
    const row = await this.#records.holderOf({ name, value })
    return row?.kind === this.model.prefix ? this.#read(row) : undefined
  }

  /** Every item of every account. */
  async all(): Promise<Stored<Body>[]> {
    return (await this.#records.all(this.model.prefix)).map((row) => this.#read(row))
  }

  async childrenOf(parentId: string): Promise<Stored<Body>[]> {
    return (await this.#records.children(parentId, this.model.prefix)).map((row) => this.#read(row))
  }

  async secret(id: string, name: string): Promise<string | undefined> {
    return this.#records.secrets.read(id, name)
  }

  async #insert(id: string, draft: Draft<Body, ReplyOf<M>>, call: Call): Promise<Stored<Body>> {
    const { accountId } = call.caller
    const parentId = await this.#parentId(draft.body, call)
    await this.#checkReferences(this.#references(draft.body), accountId)
    const row = {
      id,
      kind: this.model.prefix,
      accountId,
      parentId,
      createdAt: call.now,
      revision: 0,
      body: JSON.stringify(draft.body),
    }
    const guards = this.#guards(draft.body, accountId)
    await this.#guarded(row, draft.body, () => this.#records.insert(row, guards, draft.secrets ?? {}))
    return this.#read(row)
  }

  async #confirm(item: Stored<Body>): Promise<void> {
    try {
      await this.definition.confirm?.(item)
    } catch (error) {
      await this.#records.delete(item.id)
      throw error
    }
  }

  /** The parent that the path or the body names, which must exist in the account. */
  async #parentId(body: Body, { caller, parentId }: Call): Promise<string | null> {
    if (parentId !== undefined) {
      const isThere = (await this.#records.existing(caller.accountId, [parentId])).has(parentId)
      if (!isThere || idPrefix(parentId) !== this.model.parentPrefix) throw new ServiceError('not_found')
      return parentId
    }
    const parent = this.definition.parent?.(body)
    if (parent !== undefined) await this.#checkReferences([parent], caller.accountId)
    return parent?.id ?? null
  }

  /** Null when somebody else changed the row meanwhile. */
  async #tryChange(row: ResourceRow, change: (body: Body) => Body | Promise<Body>): Promise<Stored<Body> | null> {
    const { body } = this.#read(row)
    const next = await change(body)
    const guards = this.#guards(next, row.accountId)
    const hasNewGuards = JSON.stringify(guards) !== JSON.stringify(this.#guards(body, row.accountId))
    if (hasNewGuards) await this.#checkReferences(this.#references(next), row.accountId)
    const text = JSON.stringify(next)
    const isStored = await this.#guarded(row, next, () =>
      this.#records.update(row, text, hasNewGuards ? guards : undefined),
    )
    if (!isStored) return null
    this.#changes.announce({ kind: row.kind, id: row.id, accountId: row.accountId, change: 'updated' })
    return this.#read({ ...row, body: text })
  }

  async #row(id: string, call: Call): Promise<ResourceRow> {
    const row = await this.#records.get(this.model.prefix, id)
    const isVisible = row?.accountId === call.caller.accountId && (call.parentId ?? row.parentId) === row.parentId
    if (row === undefined || !isVisible) throw new ServiceError('not_found')
    return row
  }

  #read({ id, accountId, parentId, createdAt, body }: ResourceRow): Stored<Body> {
    return { id, accountId, parentId, createdAt, body: JSON.parse(body) as Body }
  }

  #references(body: Body): readonly Reference[] {
    return this.definition.references?.(body) ?? []
  }

  #guards(body: Body, accountId: string): Guards {
    return {
      links: this.#references(body).map((reference) => reference.id),
      uniqueKeys: this.#uniqueRules(body, accountId).map(({ name, value }) => ({ name, value })),
    }
  }

  #uniqueRules(body: Body, accountId: string): readonly UniqueRule[] {
    return this.definition.uniqueKeys?.(body, accountId) ?? []
  }

  async #checkReferences(references: readonly Reference[], accountId: string): Promise<void> {
    if (references.length === 0) return
    checkPrefixes(references)
    const existing = await this.#records.existing(
      accountId,
      references.map((reference) => reference.id),
    )
    const missing = references.find((reference) => !existing.has(reference.id))
    if (missing !== undefined) throw referenceMissing(missing)
  }

  /** Names what the database refused: a taken value, or a reference that was deleted a moment ago. */
  async #guarded<T>(row: ResourceRow, body: Body, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof GuardBroken)) throw error
      if (error.guard === 'unique') await this.#throwTaken(row, this.#uniqueRules(body, row.accountId))
      await this.#checkReferences(this.#references(body), row.accountId)
      throw new ServiceError('changed_meanwhile', {}, { cause: error })
    }
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

  async #refuseWhileInUse(id: string): Promise<void> {
    const dependents = await this.#records.dependentsOf(id, dependentsShownMax)
    if (dependents.length === 0) return
    const reason = this.definition.inUse ?? 'resource_in_use'
    throw new ServiceError(reason as 'resource_in_use', {
      id,
      title: this.model.title,
      dependents: dependents.join(', '),
    })
  }
}
