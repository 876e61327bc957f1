import type { CompiledQuery } from 'kysely'
import { type Violation, constraintViolation } from './constraint-violation.ts'
import type { Committer } from './group-commit.ts'
import { type Guards, type UniqueKey, insertGuards, removeGuards } from './guards.ts'
import type { SecretChanges, Secrets } from './secrets.ts'
import type { Database, Tables } from './tables.ts'

const tombstonesKeptMs = 90 * 24 * 3600 * 1000

/** One stored resource of any type. */
export interface ResourceRow {
  readonly id: string
  /** The id prefix of its type. */
  readonly kind: string
  readonly accountId: string
  /** Deleted together with this resource. */
  readonly parentId: string | null
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly revision: number
  /** JSON. */
  readonly body: string
}

/**
 * The database refused: another resource holds a unique key, another account one in an exclusive span, or a link would
 * point at nothing. Nothing was stored.
 */
export class GuardBroken extends Error {
  override readonly name = 'GuardBroken'
  readonly guard: Violation

  constructor(guard: Violation, options: ErrorOptions) {
    super(`A ${guard} guard of the store refused the change.`, options)
    this.guard = guard
  }
}

/** All stored resources. Knows no type: bodies are opaque, and what must hold between rows comes in as guards. */
export class Records {
  readonly #db: Database
  readonly #committer: Committer
  /** Compiled once: every request reads its key and its resource with it. */
  readonly #byId: CompiledQuery<Tables['resources']>
  readonly secrets: Secrets

  constructor(db: Database, committer: Committer, secrets: Secrets) {
    this.#db = db
    this.#committer = committer
    this.#byId = db.selectFrom('resources').selectAll().where('id', '=', '').compile()
    this.secrets = secrets
  }

  async get(kind: string, id: string): Promise<ResourceRow | undefined> {
    const { rows } = await this.#db.executeQuery<Tables['resources']>({ ...this.#byId, parameters: [id] })
    const [row] = rows
    return row?.kind === kind ? toRow(row) : undefined
  }

  /** Newest first, at most `limit`; `beforeId` may name a resource that is gone. */
  async list(accountId: string, kind: string, limit: number, beforeId?: string): Promise<ResourceRow[]> {
    let query = this.#db.selectFrom('resources').selectAll()
    query = query.where('account_id', '=', accountId).where('kind', '=', kind)
    if (beforeId !== undefined) query = query.where('id', '<', beforeId)
    return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toRow)
  }

  /** What belongs to `parentId`, oldest first. */
  async children(parentId: string, kind: string): Promise<ResourceRow[]> {
    const query = this.#db.selectFrom('resources').selectAll().where('parent_id', '=', parentId)
    return (await query.where('kind', '=', kind).orderBy('id').execute()).map(toRow)
  }

  /** Every resource of a type, in every account, for parts that keep an index of their own. */
  async all(kind: string): Promise<ResourceRow[]> {
    const query = this.#db.selectFrom('resources').selectAll().where('kind', '=', kind)
    return (await query.orderBy('id').execute()).map(toRow)
  }

  async holderOf(key: UniqueKey): Promise<ResourceRow | undefined> {
    const row = await this.#db
      .selectFrom('unique_keys')
      .innerJoin('resources', 'resources.id', 'unique_keys.resource_id')
      .selectAll('resources')
      .where('unique_keys.name', '=', key.name)
      .where('unique_keys.value', '=', key.value)
      .executeTakeFirst()
    return row && toRow(row)
  }

  /** Those of `ids` that exist in the account. */
  async existing(accountId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set()
    const query = this.#db.selectFrom('resources').select('id').where('account_id', '=', accountId)
    const rows = await query.where('id', 'in', ids).execute()
    return new Set(rows.map((row) => row.id))
  }

  /** Ids of resources that link to `id`, at most `limit`. */
  async dependentsOf(id: string, limit: number): Promise<string[]> {
    const query = this.#db.selectFrom('resource_links').select('from_id').where('to_id', '=', id)
    return (await query.orderBy('from_id').limit(limit).execute()).map((row) => row.from_id)
  }

  /** Secrets are sealed before they are stored. Throws `GuardBroken`. */
  async insert(row: ResourceRow, guards: Guards, secrets: SecretChanges): Promise<void> {
    const { links, uniqueKeys, exclusive = [] } = guards
    const isBare = links.length + uniqueKeys.length + exclusive.length + Object.keys(secrets).length === 0
    await this.#change(isBare, async (db) => {
      await db.insertInto('resources').values(fromRow(row)).execute()
      await insertGuards(db, row, guards, () => this.#committer.takeTurn(db))
      await this.secrets.store(db, row.id, secrets)
    })
  }

  /**
   * Replaces the body; `guards` and `secrets` only when given. False when the resource is gone or was changed since
   * `row` was read. Throws `GuardBroken`.
   */
  async update(row: ResourceRow, body: string, guards?: Guards, secrets: SecretChanges = {}): Promise<boolean> {
    const isBare = guards === undefined && Object.keys(secrets).length === 0
    return this.#change(isBare, async (db) => {
      const { numUpdatedRows } = await db
        .updateTable('resources')
        .set({ body, revision: row.revision + 1 })
        .where('id', '=', row.id)
        .where('revision', '=', row.revision)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return false
      if (guards !== undefined) {
        await removeGuards(db, row)
        await insertGuards(db, row, guards, () => this.#committer.takeTurn(db))
      }
      await this.secrets.store(db, row.id, secrets)
      return true
    })
  }

  /**
   * Deletes the resource with what belongs to it, and stores what remains of it. False when it is gone.
   * Throws `GuardBroken` while another links to it.
   */
  async delete(id: string, remains?: ResourceRow): Promise<boolean> {
    return this.#change(remains === undefined, async (db) => {
      const { numDeletedRows } = await db.deleteFrom('resources').where('id', '=', id).executeTakeFirst()
      const isDeleted = numDeletedRows > 0n
      if (isDeleted && remains !== undefined) await db.insertInto('resources').values(fromRow(remains)).execute()
      return isDeleted
    })
  }

  /** Remembers a deleted id for a while. */
  async bury(id: string, now: number): Promise<void> {
    await this.#db
      .deleteFrom('tombstones')
      .where('deleted_at', '<', now - tombstonesKeptMs)
      .execute()
    const insert = this.#db.insertInto('tombstones').values({ id, deleted_at: now })
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
  }

  async isBuried(id: string): Promise<boolean> {
    const query = this.#db.selectFrom('tombstones').select('id').where('id', '=', id)
    return (await query.executeTakeFirst()) !== undefined
  }

  async #change<T>(isSingleStatement: boolean, work: (db: Database) => Promise<T>): Promise<T> {
    try {
      return await this.#committer.commit(work, isSingleStatement)
    } catch (error) {
      const guard = constraintViolation(error)
      throw guard === null ? error : new GuardBroken(guard, { cause: error })
    }
  }
}

function toRow(row: Tables['resources']): ResourceRow {
  const { id, kind, account_id, parent_id, created_at, revision, body } = row
  return { id, kind, accountId: account_id, parentId: parent_id, createdAt: created_at, revision, body }
}

function fromRow({ accountId, parentId, createdAt, ...same }: ResourceRow): Tables['resources'] {
  return { ...same, account_id: accountId, parent_id: parentId, created_at: createdAt }
}
