import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { PostgresCluster } from '@tunnel/e2e/postgres-cluster'

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

/** The same in a PostgreSQL that holds no other resources. */
export async function fillCluster(cluster: PostgresCluster, accountId: string, count: number): Promise<void> {
  await cluster.query(`
    insert into resources (id, kind, account_id, parent_id, created_at, revision, body)
    select 'ipp_' || lpad(n::text, ${ksuidDigits}, '0'), 'ipp', '${accountId}', null, 1700000000000 + n, 0,
      '{"description":"policy ' || n || '","metadata":"m"}'
    from generate_series(0, ${count - 1}) n`)
  await cluster.query('vacuum analyze resources')
}
