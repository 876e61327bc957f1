import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GuardBroken, type ResourceRow } from './records.ts'
import { type Storage, openStorage } from './open-storage.ts'
import { MasterKeyLostError } from './refuse-lost-keys.ts'

let dataDir: string
let storage: Storage
const open = () => openStorage({ dataDir, databaseUrl: null, masterKeyFile: join(dataDir, 'master.key') })

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'storage-'))
  storage = await open()
  const account = { id: 'ac_1', email: 'a@example.com', user_id: 'usr_1', password_hash: null, created_at: 1 }
  await storage.db.insertInto('accounts').values(account).execute()
})
afterEach(async () => {
  await storage[Symbol.asyncDispose]()
  rmSync(dataDir, { recursive: true })
})

const noGuards = { links: [], uniqueKeys: [] }

function row(id: string, parentId: string | null = null): ResourceRow {
  return { id, kind: 'thing', accountId: 'ac_1', parentId, createdAt: 1, revision: 0, body: '{}' }
}

describe('the SQLite store', () => {
  it('waits for the disk before it acknowledges', async () => {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(storage.db)
    expect(rows).toEqual([{ synchronous: 2 }])
    const mode = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(storage.db)
    expect(mode.rows).toEqual([{ journal_mode: 'wal' }])
  })

  it.each([new Date(), true, undefined, { a: 1 }])(
    'refuses to bind %s instead of storing something else',
    async (value) => {
      await expect(sql`select ${value} as x`.execute(storage.db)).rejects.toThrow(TypeError)
    },
  )

  it('opens again and keeps what it holds; refuses a store of a newer release', async () => {
    await storage.records.insert(row('thing_1'), noGuards, {})
    await storage[Symbol.asyncDispose]()
    storage = await open()
    expect(await storage.records.get('thing', 'thing_1')).toEqual(row('thing_1'))
    await sql`insert into kysely_migration (name, timestamp) values ('9999-future', 'x')`.execute(storage.db)
    await expect(open()).rejects.toThrow('9999-future')
  })

  it('creates its key file for this user alone', () => {
    expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600)
  })
})

describe('a stored resource', () => {
  it('cannot link to nothing, nor disappear below a link', async () => {
    const linked = { links: ['thing_1'], uniqueKeys: [] }
    await expect(storage.records.insert(row('thing_2'), linked, {})).rejects.toThrow(GuardBroken)
    expect(await storage.records.get('thing', 'thing_2')).toBeUndefined()
    await storage.records.insert(row('thing_1'), noGuards, {})
    await storage.records.insert(row('thing_2'), linked, {})
    await expect(storage.records.delete('thing_1')).rejects.toThrow(GuardBroken)
    expect(await storage.records.delete('thing_2')).toBe(true)
    expect(await storage.records.delete('thing_1')).toBe(true)
  })

  it('takes its children with it', async () => {
    await storage.records.insert(row('thing_1'), noGuards, {})
    await storage.records.insert(row('thing_2', 'thing_1'), { links: ['thing_1'], uniqueKeys: [] }, {})
    expect(await storage.records.children('thing_1', 'thing')).toEqual([row('thing_2', 'thing_1')])
    await storage.records.delete('thing_1')
    expect(await storage.records.get('thing', 'thing_2')).toBeUndefined()
  })

  it('is changed only by a writer that read its latest revision', async () => {
    await storage.records.insert(row('thing_1'), noGuards, {})
    expect(await storage.records.update(row('thing_1'), '{"a":1}')).toBe(true)
    expect(await storage.records.update(row('thing_1'), '{"a":2}')).toBe(false)
    expect((await storage.records.get('thing', 'thing_1'))?.body).toBe('{"a":1}')
  })
})

describe('a secret', () => {
  it('is unreadable in the store, and opens only in its own place', async () => {
    const { records, db } = storage
    await records.insert(row('thing_1'), noGuards, { private_key: 'very secret' })
    await records.insert(row('thing_2'), noGuards, { private_key: 'other' })
    expect(await records.secrets.read('thing_1', 'private_key')).toBe('very secret')
    const [stored] = await db.selectFrom('secrets').selectAll().where('resource_id', '=', 'thing_1').execute()
    expect(stored?.sealed).not.toContain('secret')
    await db
      .updateTable('secrets')
      .set({ sealed: stored?.sealed ?? '' })
      .where('resource_id', '=', 'thing_2')
      .execute()
    await expect(records.secrets.read('thing_2', 'private_key')).rejects.toThrow('unable to authenticate')
  })

  it('survives two rotations of the master key, after which the first key is gone', async () => {
    const { records, masterKeys } = storage
    const first = masterKeys.current.id
    await records.insert(row('thing_1'), noGuards, { private_key: 'very secret' })
    for (const resealed of [1, 1]) {
      masterKeys.rotate()
      expect(await records.secrets.resealOld()).toBe(resealed)
      masterKeys.dropOld()
    }
    expect(masterKeys.find(first)).toBeUndefined()
    expect(await records.secrets.read('thing_1', 'private_key')).toBe('very secret')
  })

  it.each(['another key', 'another key of the same id'])('is not started without: %s is refused', async (which) => {
    await storage.records.insert(row('thing_1'), noGuards, { private_key: 'very secret' })
    const { id } = storage.masterKeys.current
    await storage[Symbol.asyncDispose]()
    const file = join(dataDir, 'master.key')
    const right = readFileSync(file)
    const wrongId = which === 'another key' ? 'abcdef' : id
    writeFileSync(file, `${wrongId} ${Buffer.alloc(32, 1).toString('base64')}\n`)
    await expect(open()).rejects.toThrow(MasterKeyLostError)
    writeFileSync(file, right)
    storage = await open()
    expect(await storage.records.secrets.read('thing_1', 'private_key')).toBe('very secret')
  })

  it('goes when its resource goes', async () => {
    await storage.records.insert(row('thing_1'), noGuards, { private_key: 'very secret' })
    await storage.records.delete('thing_1')
    expect(await storage.db.selectFrom('secrets').selectAll().execute()).toEqual([])
  })
})

describe('values of the service itself', () => {
  it('are the same for all who create them at once, and survive a new master key', async () => {
    const created = await Promise.all(['a', 'b', 'c'].map((text) => storage.values.readOrCreate('key', () => text)))
    expect(new Set(created).size).toBe(1)
    storage.masterKeys.rotate()
    expect(await storage.values.resealOld()).toBe(1)
    storage.masterKeys.dropOld()
    expect(await storage.values.read('key')).toEqual({ value: created[0], revision: 2 })
  })

  it('are replaced by who read the latest one only', async () => {
    expect(await storage.values.write('v', 'one', null)).toBe(true)
    expect(await storage.values.write('v', 'two', null)).toBe(false)
    expect(await storage.values.write('v', 'two', 1)).toBe(true)
    expect(await storage.values.write('v', 'three', 1)).toBe(false)
    await storage.values.remove('v')
    expect(await storage.values.read('v')).toBeNull()
  })

  it('do not open under another name', async () => {
    await storage.values.write('one', 'secret', null)
    const { key_id, sealed } = await storage.db.selectFrom('service_values').selectAll().executeTakeFirstOrThrow()
    await storage.db.insertInto('service_values').values({ name: 'two', revision: 1, key_id, sealed }).execute()
    await expect(storage.values.read('two')).rejects.toBeInstanceOf(Error)
  })
})
