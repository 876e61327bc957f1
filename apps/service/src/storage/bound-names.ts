import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from './tables.ts'

const batchMaxCount = 500
const batchEveryMs = 100
const pendingMaxCount = 100_000

export interface BoundNamesSettings {
  /** Of more names than these the latest are kept. */
  readonly namesMaxCount: number
  readonly nowMs: () => number
  readonly onFailure: (error: unknown) => void
}

/**
 * The host names that agents serve, or are expected to serve again, through restarts of the service. Written behind and in
 * batches, because agents come in crowds: what a crash loses is the last moment.
 */
export class BoundNames implements AsyncDisposable {
  /** As they were at the start, the latest last. */
  readonly remembered: readonly string[]
  readonly #db: Database
  readonly #settings: BoundNamesSettings
  /** What has to be written: whether the name is remembered from now on. */
  readonly #pending = new Map<string, boolean>()
  #writing: Promise<void> | null = null
  #isStopping = false

  private constructor(db: Database, settings: BoundNamesSettings, remembered: readonly string[]) {
    this.#db = db
    this.#settings = settings
    this.remembered = remembered
  }

  static async load(db: Database, settings: BoundNamesSettings): Promise<BoundNames> {
    const latest = db
      .selectFrom('bound_names')
      .select('name')
      .orderBy('bound_at', 'desc')
      .orderBy('name')
      .limit(settings.namesMaxCount)
    const rows = await latest.execute()
    await db.deleteFrom('bound_names').where('name', 'not in', latest).execute()
    return new BoundNames(db, settings, rows.map(({ name }) => name).reverse())
  }

  remember(name: string): void {
    this.#change(name, true)
  }

  forget(name: string): void {
    this.#change(name, false)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#writing
  }

  #change(name: string, isRemembered: boolean): void {
    if (this.#pending.size >= pendingMaxCount) return
    this.#pending.set(name, isRemembered)
    this.#writing ??= this.#write().finally(() => (this.#writing = null))
  }

  async #write(): Promise<void> {
    while (this.#pending.size > 0) {
      if (!this.#isStopping) await sleep(batchEveryMs)
      const batch = [...this.#pending].slice(0, batchMaxCount)
      for (const [name] of batch) this.#pending.delete(name)
      await this.#store(batch).catch(this.#settings.onFailure)
    }
  }

  async #store(batch: readonly (readonly [name: string, isRemembered: boolean])[]): Promise<void> {
    const bound_at = this.#settings.nowMs()
    const rows = batch.filter(([, isRemembered]) => isRemembered).map(([name]) => ({ name, bound_at }))
    const names = batch.map(([name]) => name)
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('bound_names').where('name', 'in', names).execute()
      if (rows.length === 0) return
      const insert = db.insertInto('bound_names').values(rows)
      await insert.onConflict((conflict) => conflict.doNothing()).execute()
    })
  }
}
