import { type Account, startService, tempDir } from '@tunnel/testkit'
import { startPostgresCluster } from '@tunnel/e2e/postgres-cluster'
import type { LoadTarget } from '../load/wrk.ts'
import { fillCluster, fillStore } from './full-store.ts'

type ServiceOptions = NonNullable<Parameters<typeof startService>[0]>

/** A service with a full store, and how to load its API. */
export interface ApiLab extends AsyncDisposable {
  readonly account: Account
  readonly target: LoadTarget
  readonly headers: Readonly<Record<string, string>>
  /** From starting the process until it says that it is ready. */
  readonly startMs: number
}

/** The service over SQLite. */
export async function startApiLab(rows: number): Promise<ApiLab> {
  const directory = await tempDir()
  const account = await prepare({ dataDir: directory.path }, (id) => fillStore(directory.path, id, rows))
  return startOver({ dataDir: directory.path }, account, [directory])
}

/** The service over a PostgreSQL on loopback that syncs every commit. */
export async function startPostgresLab(rows: number): Promise<ApiLab> {
  const cluster = await startPostgresCluster()
  const directory = await tempDir()
  const options = { dataDir: directory.path, env: { SERVICE_DATABASE_URL: cluster.url } }
  const account = await prepare(options, (id) => fillCluster(cluster, id, rows))
  return startOver(options, account, [directory, cluster])
}

async function startOver(
  options: ServiceOptions,
  account: Account,
  below: readonly AsyncDisposable[],
): Promise<ApiLab> {
  const begun = performance.now()
  const service = await startService(options)
  const startMs = performance.now() - begun
  return {
    account,
    startMs,
    target: { host: `127.0.0.1:${service.ports.api}`, port: service.ports.api },
    headers: {
      authorization: `Bearer ${account.apiKey}`,
      'service-version': '2',
      'content-type': 'application/json',
    },
    [Symbol.asyncDispose]: async () => {
      for (const part of [service, ...below]) await part[Symbol.asyncDispose]()
    },
  }
}

async function prepare(options: ServiceOptions, fill: (accountId: string) => unknown): Promise<Account> {
  await using service = await startService(options)
  const account = await service.createAccount()
  await service.process.stop()
  await fill(account.id)
  return account
}
