import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect } from 'kysely'
import type { Database, Tables } from './tables.ts'

const busyTimeoutMs = 5_000
const cachedStatementsMax = 256

/** Opens the embedded store. Every commit is on the disk before it is acknowledged. */
export function openSqlite(file: string): Database {
  const database = openFile(file)
  return new Kysely<Tables>({ dialect: new SqliteDialect({ database: new SqliteAdapter(database) }) })
}

function openFile(file: string): DatabaseSync {
  try {
    const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off')
    return database
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`The store ${file} cannot be opened: ${problem}. Put a backup in its place with restore.`, {
      cause,
    })
  }
}

/** What Kysely's SQLite dialect expects of a driver, over `node:sqlite`. */
class SqliteAdapter {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    if (this.#statements.size >= cachedStatementsMax) this.#statements.clear()
    // A transaction takes the write lock at once: upgrading later fails when another process has written meanwhile.
    const statement = new SqliteStatement(this.#database.prepare(sql === 'begin' ? 'begin immediate' : sql))
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }
}

class SqliteStatement {
  readonly reader: boolean
  readonly #statement: StatementSync

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.reader = statement.columns().length > 0
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...parameters.map(bindable))
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...parameters.map(bindable))
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters.map(bindable))
  }
}

/** `node:sqlite` takes a first object for a bag of named parameters and binds NULL: a Date would vanish silently. */
function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value
  throw new TypeError(`A statement parameter must be a string, a number or null, not ${typeof value}.`)
}
