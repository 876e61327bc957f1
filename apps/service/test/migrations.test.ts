import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { type StorageSettings, openStorage, sqliteFile } from '../src/storage/open-storage.ts'

/** Stores as releases wrote them. Each stays readable for ever: a release adds a file and changes none. */
const stores = join(import.meta.dirname, 'stores')
const dataDir = mkdtempSync(join(tmpdir(), 'migrations-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

/** A data directory with such a store, and what is written to it besides. */
function settingsWith(name: string, more = ''): StorageSettings {
  const own = mkdtempSync(join(dataDir, 'store-'))
  const written = new DatabaseSync(sqliteFile(own))
  written.exec(readFileSync(join(stores, name), 'utf8'))
  written.exec(more)
  written.close()
  return { dataDir: own, databaseUrl: null, masterKeyFile: join(own, 'master.key') }
}

it.each(readdirSync(stores))('opens the store of %s with all that it held', async (name) => {
  await using storage = await openStorage(settingsWith(name))
  const rows = await storage.db.selectFrom('resources').select(['id', 'kind', 'account_id']).execute()
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['ak', 'bot', 'ipp', 'ipr', 'ipx']))
  const policy = rows.find(({ kind }) => kind === 'ipp')
  const listed = await storage.records.list(policy?.account_id ?? '', 'ipp', 10)
  expect(listed.map(({ body }) => body)).toEqual(['{"description":"office"}'])
  await expect(storage.records.delete(policy?.id ?? '')).rejects.toThrow('reference')
})

it('finds the agent ingresses of earlier stores by their labels in reverse', async () => {
  const ingress = `insert into unique_keys select 'ingress_domain', 'gw.example.dev', id from resources where kind = 'ipp'`
  await using storage = await openStorage(settingsWith('first-release.sql', ingress))
  const holder = await storage.records.holderOf({ name: 'agent_ingress', value: 'dev.example.gw' })
  expect(holder?.kind).toBe('ipp')
})
