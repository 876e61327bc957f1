import type { Sealer } from './sealer.ts'
import type { Database } from './tables.ts'

const resealBatch = 200

/** The sealed secrets of resources. */
export class Secrets {
  readonly #db: Database
  readonly #sealer: Sealer

  constructor(db: Database, sealer: Sealer) {
    this.#db = db
    this.#sealer = sealer
  }

  /** Within the transaction that stores the resource itself. */
  async insert(db: Database, resourceId: string, secrets: Readonly<Record<string, string>>): Promise<void> {
    const values = Object.entries(secrets).map(([name, plain]) => {
      const { keyId, sealed } = this.#sealer.seal(plain, { resourceId, name })
      return { resource_id: resourceId, name, key_id: keyId, sealed }
    })
    if (values.length === 0) return
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
}
