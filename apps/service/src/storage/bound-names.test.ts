import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BoundNames } from './bound-names.ts'
import { openStorage, type Storage } from './open-storage.ts'

let dataDir: string
let storage: Storage
let nowMs: number

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'bound-names-'))
  storage = await openStorage({ dataDir, databaseUrl: null, masterKeyFile: join(dataDir, 'master.key') })
  nowMs = 1_000
})
afterEach(async () => {
  await storage[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

function load(namesMaxCount = 1_000, onFailure: (error: unknown) => void = fail): Promise<BoundNames> {
  return BoundNames.load(storage.db, { namesMaxCount, nowMs: () => nowMs++, onFailure })
}

function fail(error: unknown): never {
  throw error
}

it('come back after a restart, except those that were forgotten', async () => {
  const before = await load()
  for (const name of ['a.test', 'b.test', '*.c.test', 'a.test']) before.remember(name)
  before.forget('b.test')
  await before[Symbol.asyncDispose]()
  expect((await load()).remembered.toSorted()).toEqual(['*.c.test', 'a.test'])
})

it('are kept up to a bound, the latest ones, and no more than that is left in the store', async () => {
  for (const name of ['first.test', 'second.test', 'third.test']) {
    const names = await load()
    names.remember(name)
    await names[Symbol.asyncDispose]()
  }
  expect((await load(2)).remembered).toEqual(['second.test', 'third.test'])
  expect((await load()).remembered).toEqual(['second.test', 'third.test'])
})

it('are written in batches, a crowd of them too', async () => {
  const before = await load(5_000)
  for (let n = 0; n < 1_200; n++) before.remember(`${n}.test`)
  await before[Symbol.asyncDispose]()
  expect((await load(5_000)).remembered).toHaveLength(1_200)
})

it('are noted again once a store that failed works', async () => {
  const failures: unknown[] = []
  const names = await load(10, (error) => failures.push(error))
  await storage.db.schema.alterTable('bound_names').renameTo('elsewhere').execute()
  names.remember('lost.test')
  await expect.poll(() => failures).toHaveLength(1)
  await storage.db.schema.alterTable('elsewhere').renameTo('bound_names').execute()
  names.remember('kept.test')
  await names[Symbol.asyncDispose]()
  expect((await load()).remembered).toEqual(['kept.test'])
})
