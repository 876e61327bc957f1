import { constraintViolation } from './constraint-violation.ts'
import type { Sealer } from './sealer.ts'
import type { Database } from './tables.ts'

/** A value as it was read; a writer states the revision. */
export interface ServiceValue {
  readonly value: string
  readonly revision: number
}

/** Sealed values of the service itself, by name. All processes that share the store share them. */
export class ServiceValues {
  readonly #db: Database
  readonly #sealer: Sealer

  constructor(db: Database, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  async read(name: string): Promise<ServiceValue | null> {
    const row = await this.#db.selectFrom('service_values').selectAll().where('name', '=', name).executeTakeFirst()
    if (row === undefined) return null
    return { value: this.#sealer.open({ keyId: row.key_id, sealed: row.sealed }, place(name)), revision: row.revision }
  }

  /** `revision` is the one that was read, null when there was no value. False when somebody else was faster. */
  async write(name: string, value: string, revision: number | null): Promise<boolean> {
    const { keyId, sealed } = this.#sealer.seal(value, place(name))
    const columns = { key_id: keyId, sealed, revision: (revision ?? 0) + 1 }
    if (revision === null) return this.#insert({ name, ...columns })
    const update = this.#db.updateTable('service_values').set(columns).where('name', '=', name)
    const { numUpdatedRows } = await update.where('revision', '=', revision).executeTakeFirst()
    return numUpdatedRows > 0n
  }

  /** The stored value, or the one that `create` makes when there is none; the same for all who ask at once. */
  async readOrCreate(name: string, create: () => string): Promise<string> {
    const found = await this.read(name)
    if (found !== null) return found.value
    await this.write(name, create(), null)
    const stored = await this.read(name)
    if (stored === null) throw new Error(`the value ${name} was not stored`)
    return stored.value
  }

  async remove(name: string): Promise<void> {
    await this.#db.deleteFrom('service_values').where('name', '=', name).execute()
  }

  /** Seals again whatever an older master key sealed. Returns how many there were. */
  async resealOld(): Promise<number> {
    const query = this.#db.selectFrom('service_values').select('name').where('key_id', '!=', this.#sealer.currentKeyId)
    let resealed = 0
    for (const { name } of await query.execute()) {
      const found = await this.read(name)
      if (found !== null && (await this.write(name, found.value, found.revision))) resealed += 1
    }
    return resealed
  }

  async #insert(row: { name: string; key_id: string; sealed: string; revision: number }): Promise<boolean> {
    try {
      await this.#db.insertInto('service_values').values(row).execute()
      return true
    } catch (error) {
      if (constraintViolation(error) === 'unique') return false
      throw error
    }
  }
}

function place(name: string): { resourceId: string; name: string } {
  return { resourceId: 'service', name }
}
