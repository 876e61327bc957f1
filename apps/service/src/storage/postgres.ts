import { Kysely, PostgresDialect } from 'kysely'
import { Pool, TypeOverrides, types } from 'pg'
import type { Database, Tables } from './tables.ts'

const connectionsMax = 10
const connectWithinMs = 5_000
const statementWithinMs = 10_000

/** Opens the shared store. `onProblem` hears of idle connections that broke; the next query opens another one. */
export function openPostgres(url: string, onProblem: (error: Error) => void): Database {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectWithinMs,
    statement_timeout: statementWithinMs,
    types: numbersForBigints(),
  })
  pool.on('error', onProblem)
  // Between two statements of a transaction nobody else listens; the next statement fails, and tells its caller.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** bigint columns hold epoch milliseconds, which fit into a number. */
function numbersForBigints(): TypeOverrides {
  const parsers = new TypeOverrides()
  parsers.setTypeParser(types.builtins.INT8, Number)
  return parsers
}
