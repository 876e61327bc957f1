import { type Account, type RunningService, startService, tempDir } from '@tunnel/testkit'
import type { LoadTarget } from '../load/wrk.ts'
import { fillStore } from './full-store.ts'

/** A service with a full store, and how to load its API. */
export interface ApiLab extends AsyncDisposable {
  readonly account: Account
  readonly target: LoadTarget
  readonly headers: Readonly<Record<string, string>>
  /** From starting the process until it says that it is ready. */
  readonly startMs: number
}

export async function startApiLab(rows: number): Promise<ApiLab> {
  const directory = await tempDir()
  const account = await prepare(directory.path, rows)
  const begun = performance.now()
  const service = await startService({ dataDir: directory.path })
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
    [Symbol.asyncDispose]: () => stop(service, directory),
  }
}

async function prepare(dataDir: string, rows: number): Promise<Account> {
  await using service = await startService({ dataDir })
  const account = await service.createAccount()
  await service.process.stop()
  fillStore(dataDir, account.id, rows)
  return account
}

async function stop(service: RunningService, directory: AsyncDisposable): Promise<void> {
  await service[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
}
