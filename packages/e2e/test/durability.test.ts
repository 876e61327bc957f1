import { randomInt } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { createApiClient } from '@tunnel/api-client'
import { type Account, startService, tempDir } from '@tunnel/testkit'
import { expect, it } from 'vitest'

const kills = process.env['TEST_LONG'] === undefined ? 2 : 200
const writers = 8
const killWithinMs = { least: 50, most: 600 }

/** What the service said that it has stored. */
interface Acknowledged {
  readonly kept: Map<string, string>
  readonly deleted: Set<string>
}

it(
  'loses no acknowledged write and stores nothing by halves, whenever it is killed',
  async () => {
    await using directory = await tempDir()
    const acknowledged: Acknowledged = { kept: new Map(), deleted: new Set() }
    let account: Account | undefined
    for (let kill = 0; kill < kills; kill += 1) {
      await using service = await startService({ dataDir: directory.path })
      account ??= await service.createAccount()
      const client = createApiClient({ baseUrl: service.apiUrl, apiKey: account.apiKey })
      await expectStored(client, acknowledged)
      const writing = Array.from({ length: writers }, () => writeUntilKilled(client, acknowledged))
      await after(randomInt(killWithinMs.least, killWithinMs.most))
      service.process.signal('SIGKILL')
      await service.process.exited
      await Promise.all(writing)
    }
    await using service = await startService({ dataDir: directory.path })
    await expectStored(createApiClient({ baseUrl: service.apiUrl, apiKey: account?.apiKey ?? '' }), acknowledged)
    expect(acknowledged.kept.size).toBeGreaterThan(kills)
  },
  kills * 30_000,
)

/** Stores resources of several rows (with references and unique values), changes some and deletes some. */
async function writeUntilKilled(
  client: ReturnType<typeof createApiClient>,
  { kept, deleted }: Acknowledged,
): Promise<void> {
  try {
    for (;;) {
      const response = await client.httpResponseBackends.create({ body: 'v1' })
      const { id } = await client.failoverBackends.create({ backends: [response.id], metadata: 'v1' })
      kept.set(id, 'v1')
      await client.failoverBackends.update(id, { backends: [response.id], metadata: 'v2' })
      kept.set(id, 'v2')
      if (randomInt(4) > 0) continue
      kept.delete(id)
      await client.failoverBackends.delete(id)
      deleted.add(id)
    }
  } catch {
    // The service is gone; what it had acknowledged until here counts.
  }
}

async function expectStored(
  client: ReturnType<typeof createApiClient>,
  { kept, deleted }: Acknowledged,
): Promise<void> {
  const stored = new Map<string, string>()
  for await (const { id, backends, metadata } of client.failoverBackends.all()) {
    const [backendId = ''] = backends
    expect((await client.httpResponseBackends.get(backendId)).body).toBe('v1')
    stored.set(id, metadata ?? '')
  }
  const lost = [...kept].filter(([id, version]) => (stored.get(id) ?? '') < version)
  expect(lost).toEqual([])
  expect([...deleted].filter((id) => stored.has(id))).toEqual([])
}
