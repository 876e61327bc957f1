import { open } from 'node:fs/promises'
import { type Transaction, sql } from 'kysely'
import type { Database, Tables } from './tables.ts'

/**
 * One transaction of SQLite that is on the disk when the promise resolves. SQLite would wait for the disk within the commit, and
 * with it the event loop: here the commit only writes to its log, and another thread brings the log to the disk. Whoever reads
 * meanwhile may see what a loss of power could still undo. Rejects when the disk fails; the change may be stored all the same.
 */
export async function commitDurably(
  db: Database,
  file: string,
  work: (db: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection)
    try {
      await connection.transaction().execute(work)
    } finally {
      // Whatever else is written waits for the disk itself, and for what of this transaction is not there yet.
      await sql`pragma synchronous = full`.execute(connection)
    }
  })
  await using log = await open(`${file}-wal`, 'r+')
  await log.datasync()
}
