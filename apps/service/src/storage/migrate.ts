import { type RawBuilder, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { firstSchema } from './migrations/0001-first-schema.ts'
import { signInsSchema } from './migrations/0002-sign-ins.ts'
import { serviceValuesSchema } from './migrations/0003-service-values.ts'
import { boundNamesSchema } from './migrations/0004-bound-names.ts'
import { ingressKeys } from './migrations/0005-ingress-keys.ts'
import type { Database } from './tables.ts'

export type Engine = 'sqlite' | 'postgres'

/** The store was written by a newer release, or a migration failed; nothing was changed. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** Brings the schema up to date under the engine's lock. Refuses a store that a newer release has migrated. */
export async function migrate(db: Database, engine: Engine): Promise<void> {
  const migrations = orderedMigrations(engine)
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } })
  await refuseNewerSchema(db, migrations)
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw new MigrationError('The store could not be migrated.', { cause: error })
}

/** Ids are compared byte by byte, so that pages have the same order on both engines. */
function orderedMigrations(engine: Engine): Record<string, Migration> {
  const bytewiseText: RawBuilder<unknown> = engine === 'postgres' ? sql`text collate "C"` : sql`text`
  return {
    '0001-first-schema': firstSchema(bytewiseText),
    '0002-sign-ins': signInsSchema(bytewiseText),
    '0003-service-values': serviceValuesSchema(bytewiseText),
    '0004-bound-names': boundNamesSchema(bytewiseText),
    '0005-ingress-keys': ingressKeys,
  }
}

async function refuseNewerSchema(db: Database, migrations: Record<string, Migration>): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const unknown = rows.filter((row) => !(row.name in migrations))
  if (unknown.length > 0)
    throw new MigrationError(
      `The store was written by a newer release (${unknown.map((row) => row.name).join(', ')}). Start that release, or restore a backup made by this one.`,
    )
}
