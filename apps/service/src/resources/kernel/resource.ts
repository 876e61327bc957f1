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
import { GuardBroken, type Records, type ResourceRow } from '../../storage/records.ts'
import type { Changes } from './changes.ts'
import type { Draft, ResourceDefinition, Stored } from './definition.ts'
import { Guarding } from './guarding.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { StoredBodies, toStored } from './stored-bodies.ts'
import { withoutEmptyTexts } from './tolerance.ts'

const updateAttemptsMax = 5

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
  readonly #guarding: Guarding<M, Body>
  readonly #bodies: StoredBodies<Body>
  readonly #changing = new OneAtATime()

  constructor(definition: ResourceDefinition<M, Body>, { records, changes }: ResourceParts) {
    this.definition = definition
    this.#guarding = new Guarding(definition, records)
    this.#bodies = new StoredBodies(definition.sealed, records.secrets)
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
    const item = await this.#store(id, draft, call)
    this.#changes.announce({ kind: this.model.prefix, id, accountId: item.accountId, change: 'created' })
    const reply = await this.reply(item, call)
    return { ...reply, ...draft.shownOnce }
  }

  /** Throws `not_found` for an unknown id and for one of another account alike. */
  async get(id: string, call: Call): Promise<Stored<Body>> {
    return this.#bodies.read(await this.#row(id, call))
  }

  /** Newest first; one item more than the page when another page follows. */
  async list(page: Page, call: Call): Promise<Stored<Body>[]> {
    const rows = await this.#records.list(call.caller.accountId, this.model.prefix, page.limit, page.beforeId)
    return this.#bodies.readAll(rows)
  }

  async update(id: string, changes: UpdateOf<M>, call: Call): Promise<Stored<Body>> {
    return this.change(id, call, async (body) => {
      const updated = await this.definition.update?.(body, changes, { ...call, id })
      return withoutEmptyTexts(updated ?? { ...body, ...changes })
    })
  }

  /**
   * Replaces the body by what `next` makes of it. Changes of this process wait for each other; `next` runs again when
   * another process was faster.
   */
  async change(id: string, call: Call, next: (body: Body) => Body | Promise<Body>): Promise<Stored<Body>> {
    this.definition.checkCaller?.(call)
    // By account, so that nobody can make the owner wait.
    return this.#changing.run(`${call.caller.accountId} ${id}`, () => this.#changeNow(id, call, next))
  }

  async #changeNow(id: string, call: Call, next: (body: Body) => Body | Promise<Body>): Promise<Stored<Body>> {
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
    await this.#guarding.refuseWhileInUse(id)
    if (this.definition.isBuried === true) await this.#records.bury(id, call.now)
    const remains = this.definition.remains?.(item, call)
    const isDeleted = await this.#records.delete(id, remains).catch(async (error: unknown) => {
      if (error instanceof GuardBroken) await this.#guarding.refuseWhileInUse(id)
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
    return row && this.#bodies.read(row)
  }

  /** The holder of a unique value, in whatever account it is. */
  async findByKey(name: string, value: string): Promise<Stored<Body> | undefined> {
    const row = await this.#records.holderOf({ name, value })
    return row?.kind === this.model.prefix ? this.#bodies.read(row) : undefined
  }

  /** Every item of every account. */
  async all(): Promise<Stored<Body>[]> {
    return this.#bodies.readAll(await this.#records.all(this.model.prefix))
  }

  async childrenOf(parentId: string): Promise<Stored<Body>[]> {
    return this.#bodies.readAll(await this.#records.children(parentId, this.model.prefix))
  }

  async secret(id: string, name: string): Promise<string | undefined> {
    return this.#records.secrets.read(id, name)
  }

  async #store(id: string, draft: Draft<Body, ReplyOf<M>>, call: Call): Promise<Stored<Body>> {
    const { body } = draft
    const { accountId } = call.caller
    const parentId = await this.#guarding.parentId(body, call)
    await this.#guarding.check(body, accountId)
    const { text, secrets } = this.#bodies.write(body)
    const row = { id, kind: this.model.prefix, accountId, parentId, createdAt: call.now, revision: 0, body: text }
    const guards = this.#guarding.of(body, accountId)
    await this.#guarding.name(row, body, () => this.#records.insert(row, guards, { ...secrets, ...draft.secrets }))
    return toStored(row, body)
  }

  /** Null when somebody else changed the row meanwhile. */
  async #tryChange(row: ResourceRow, change: (body: Body) => Body | Promise<Body>): Promise<Stored<Body> | null> {
    const { body } = await this.#bodies.read(row)
    const next = await change(body)
    const guards = this.#guarding.of(next, row.accountId)
    const hasNewGuards = JSON.stringify(guards) !== JSON.stringify(this.#guarding.of(body, row.accountId))
    if (hasNewGuards) await this.#guarding.check(next, row.accountId)
    const { text, secrets } = this.#bodies.write(next, row)
    const isStored = await this.#guarding.name(row, next, () =>
      this.#records.update(row, text, hasNewGuards ? guards : undefined, secrets),
    )
    if (!isStored) return null
    this.#changes.announce({ kind: row.kind, id: row.id, accountId: row.accountId, change: 'updated' })
    return toStored(row, next)
  }

  async #row(id: string, call: Call): Promise<ResourceRow> {
    if (idPrefix(id) !== this.model.prefix) throw new ServiceError('not_found')
    const row = await this.#records.get(this.model.prefix, id)
    const isVisible = row?.accountId === call.caller.accountId && (call.parentId ?? row.parentId) === row.parentId
    if (row === undefined || !isVisible) throw new ServiceError('not_found')
    return row
  }
}
