import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openStorage, sqliteFile } from '../src/storage/open-storage.ts'

/** Stores as releases wrote them. Each stays readable for ever: a release adds a file and changes none. */
const stores = join(import.meta.dirname, 'stores')
const dataDir = mkdtempSync(join(tmpdir(), 'migrations-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

it.each(readdirSync(stores))('opens the store of %s with all that it held', async (name) => {
  const settings = { dataDir, databaseUrl: null, masterKeyFile: join(dataDir, 'master.key') }
  const written = new DatabaseSync(sqliteFile(dataDir))
  written.exec(readFileSync(join(stores, name), 'utf8'))
  written.close()
  await using storage = await openStorage(settings)
  const rows = await storage.db.selectFrom('resources').select(['id', 'kind', 'account_id']).execute()
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['ak', 'bot', 'ipp', 'ipr', 'ipx']))
  const policy = rows.find(({ kind }) => kind === 'ipp')
  const listed = await storage.records.list(policy?.account_id ?? '', 'ipp', 10)
  expect(listed.map(({ body }) => body)).toEqual(['{"description":"office"}'])
  await expect(storage.records.delete(policy?.id ?? '')).rejects.toThrow('reference')
})
