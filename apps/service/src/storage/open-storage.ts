import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { GroupCommits, separateCommits } from './group-commit.ts'
import { MasterKeys } from './master-keys.ts'
import { type Engine, migrate } from './migrate.ts'
import { openPostgres } from './postgres.ts'
import { Records } from './records.ts'
import { refuseLostKeys } from './refuse-lost-keys.ts'
import { Sealer } from './sealer.ts'
import { Secrets } from './secrets.ts'
import { ServiceValues } from './service-values.ts'
import { openSqlite } from './sqlite.ts'
import { syncDirectory } from './sync-to-disk.ts'
import type { Database } from './tables.ts'
import { commitDurably } from './write-ahead-log.ts'

/** Where the store is; the part of the service's configuration that concerns it. */
export interface StorageSettings {
  readonly dataDir: string
  /** Null: SQLite in the data directory. */
  readonly databaseUrl: string | null
  readonly masterKeyFile: string
}

/** The open store. */
export interface Storage extends AsyncDisposable {
  readonly engine: Engine
  readonly db: Database
  readonly records: Records
  readonly values: ServiceValues
  readonly masterKeys: MasterKeys
  /** Rejects when the database does not answer. */
  ping(): Promise<void>
}

/**
 * Opens the store and brings its schema up to date. Throws `MigrationError` for a store of a newer release, and
 * `MasterKeyLostError` for one whose secrets the master key file cannot open.
 */
export async function openStorage(
  settings: StorageSettings,
  onProblem: (error: Error) => void = () => undefined,
): Promise<Storage> {
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
  const masterKeys = MasterKeys.open(settings.masterKeyFile)
  const engine = settings.databaseUrl === null ? 'sqlite' : 'postgres'
  const db =
    settings.databaseUrl === null
      ? openSqlite(sqliteFile(settings.dataDir))
      : openPostgres(settings.databaseUrl, onProblem)
  const sealer = new Sealer(masterKeys)
  const [secrets, values] = [new Secrets(db, sealer), new ServiceValues(db, sealer)]
  try {
    await migrate(db, engine)
    await refuseLostKeys({ db, secrets, values, masterKeyFile: settings.masterKeyFile })
    // The log of the embedded store may be new; its own writes bring only its content to the disk.
    syncDirectory(settings.dataDir)
  } catch (error) {
    await db.destroy()
    throw error
  }
  const committer =
    engine === 'sqlite'
      ? new GroupCommits((work) => commitDurably(db, sqliteFile(settings.dataDir), work))
      : separateCommits(db)
  return {
    engine,
    db,
    records: new Records(db, committer, secrets),
    values,
    masterKeys,
    ping: async () => void (await sql`select 1`.execute(db)),
    [Symbol.asyncDispose]: () => db.destroy(),
  }
}

export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'service.sqlite')
}
