import type { Sealer } from './sealer.ts'
import type { Database } from './tables.ts'

const resealBatch = 200

/** New values by name; null: the secret is gone. */
export type SecretChanges = Readonly<Record<string, string | null>>

/** The sealed secrets of resources. */
export class Secrets {
  readonly #db: Database
  readonly #sealer: Sealer

  constructor(db: Database, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** Within the transaction that stores the resource itself. */
  async store(db: Database, resourceId: string, changes: SecretChanges): Promise<void> {
    const given = Object.entries(changes)
    const gone = given.filter(([, value]) => value === null).map(([name]) => name)
    const kept = given.filter((entry): entry is [string, string] => entry[1] !== null)
    if (gone.length > 0) await this.#remove(db, resourceId, gone)
    if (kept.length > 0) await this.#put(db, resourceId, kept)
  }

  async read(resourceId: string, name: string): Promise<string | undefined> {
    const query = this.#db.selectFrom('secrets').selectAll().where('resource_id', '=', resourceId)
    const row = await query.where('name', '=', name).executeTakeFirst()
    return row && this.#sealer.open({ keyId: row.key_id, sealed: row.sealed }, { resourceId, name })
  }

  /** Seals again whatever an older master key sealed. Returns how many there were. */
  async resealOld(): Promise<number> {
    let resealed = 0
    for (;;) {
      const query = this.#db.selectFrom('secrets').selectAll().where('key_id', '!=', this.#sealer.currentKeyId)
      const rows = await query.limit(resealBatch).execute()
      if (rows.length === 0) return resealed
      for (const row of rows) {
        const place = { resourceId: row.resource_id, name: row.name }
        const { keyId, sealed } = this.#sealer.seal(
          this.#sealer.open({ keyId: row.key_id, sealed: row.sealed }, place),
          place,
        )
        await this.#db
          .updateTable('secrets')
          .set({ key_id: keyId, sealed })
          .where('resource_id', '=', row.resource_id)
          .where('name', '=', row.name)
          .where('sealed', '=', row.sealed)
          .execute()
        resealed += 1
      }
    }
  }

  async #remove(db: Database, resourceId: string, names: readonly string[]): Promise<void> {
    await db.deleteFrom('secrets').where('resource_id', '=', resourceId).where('name', 'in', names).execute()
  }

  async #put(db: Database, resourceId: string, secrets: readonly [name: string, plain: string][]): Promise<void> {
    const values = secrets.map(([name, plain]) => {
      const { keyId, sealed } = this.#sealer.seal(plain, { resourceId, name })
      return { resource_id: resourceId, name, key_id: keyId, sealed }
    })
    await db
      .insertInto('secrets')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['resource_id', 'name']).doUpdateSet((row) => ({
          key_id: row.ref('excluded.key_id'),
          sealed: row.ref('excluded.sealed'),
        })),
      )
      .execute()
  }
}
