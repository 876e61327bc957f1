import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const ksuidDigits = 27

/** The id of the n-th stored policy; ids sort as their numbers. */
export function policyId(n: number): string {
  return `ipp_${String(n).padStart(ksuidDigits, '0')}`
}

/** Puts IP policies straight into the store of a service that does not run: a million through the API would take minutes. */
export function fillStore(dataDir: string, accountId: string, count: number): void {
  const database = new DatabaseSync(join(dataDir, 'service.sqlite'))
  const insert = database.prepare(
    "insert into resources (id, kind, account_id, parent_id, created_at, revision, body) values (?, 'ipp', ?, null, ?, 0, ?)",
  )
  database.exec('begin')
  for (let n = 0; n < count; n += 1)
    insert.run(
      policyId(n),
      accountId,
      1_700_000_000_000 + n,
      JSON.stringify({ description: `policy ${n}`, metadata: 'm' }),
    )
  database.exec('commit')
  database.close()
}
