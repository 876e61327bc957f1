import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createApiClient } from '@tunnel/api-client'
import { type Account, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'
import { DurableWrites, halfStored } from '../../src/durable-writes.ts'
import { hasPostgres, startPostgresCluster } from '../../src/postgres-cluster.ts'

const isLong = process.env['TEST_LONG'] !== undefined
const [kills, databaseKills] = isLong ? [200, 200] : [2, 2]

it(
  'loses no acknowledged write and stores nothing by halves, whenever it is killed',
  async () => {
    await using directory = await tempDir()
    const writes = new DurableWrites()
    let account: Account | undefined
    for (let kill = 0; kill < kills; kill += 1) {
      await using service = await startService({ dataDir: directory.path })
      account ??= await service.createAccount()
      const client = createApiClient({ baseUrl: service.apiUrl, apiKey: account.apiKey })
      expect(await writes.lost(client)).toEqual([])
      const end = () => {
        service.process.signal('SIGKILL')
        return service.process.exited
      }
      await writes.writeUntil(end, client)
    }
    await using service = await startService({ dataDir: directory.path })
    const client = createApiClient({ baseUrl: service.apiUrl, apiKey: account?.apiKey ?? '' })
    expect(await writes.lost(client)).toEqual([])
    using store = new DatabaseSync(join(directory.path, 'service.sqlite'), { readOnly: true })
    expect(store.prepare(halfStored).all()).toEqual([])
    expect(writes.count).toBeGreaterThan(kills)
  },
  kills * 30_000,
)

it.runIf(hasPostgres)(
  'loses no acknowledged write and stores nothing by halves, whenever PostgreSQL is killed under it',
  async () => {
    await using cluster = await startPostgresCluster()
    await using directory = await tempDir()
    await using service = await startService({ dataDir: directory.path, env: { SERVICE_DATABASE_URL: cluster.url } })
    const { apiKey } = await service.createAccount()
    const client = createApiClient({ baseUrl: service.apiUrl, apiKey })
    const writes = new DurableWrites()
    for (let kill = 0; kill < databaseKills; kill += 1) {
      await writes.writeUntil(() => cluster.kill(), client)
      await cluster.start()
      expect(await writes.lost(client)).toEqual([])
      expect(await cluster.query(halfStored)).toEqual([])
    }
    expect(writes.count).toBeGreaterThan(databaseKills)
  },
  databaseKills * 30_000,
)
