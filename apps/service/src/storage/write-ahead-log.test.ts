import { mkdtempSync, rmSync } from 'node:fs'
import type * as Files from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openSqlite } from './sqlite.ts'
import type { Database } from './tables.ts'
import { commitDurably } from './write-ahead-log.ts'

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof Files>()
  return { ...real, open: vi.fn(real.open) }
})

let dir: string
let file: string
let db: Database
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'log-'))
  file = join(dir, 'service.sqlite')
  db = openSqlite(file)
  await db.schema.createTable('tombstones').addColumn('id', 'text').addColumn('deleted_at', 'bigint').execute()
})
afterEach(async () => {
  vi.mocked(open).mockClear()
  await db.destroy()
  rmSync(dir, { recursive: true })
})

const commit = () =>
  commitDurably(
    db,
    file,
    async (on) => void (await on.insertInto('tombstones').values({ id: 'a', deleted_at: 1 }).execute()),
  )

/** Puts `datasync` in the place of the disk's, for the next file that is opened. */
async function whenSynced(datasync: (real: () => Promise<void>) => Promise<void>): Promise<void> {
  const { open: realOpen } = await vi.importActual<typeof Files>('node:fs/promises')
  vi.mocked(open).mockImplementationOnce(async (...path) => {
    const handle = await realOpen(...path)
    const real = handle.datasync.bind(handle)
    handle.datasync = () => datasync(real)
    return handle
  })
}

it('acknowledges a change only when the log that holds it is on the disk, and the loop runs on meanwhile', async () => {
  const disk = Promise.withResolvers<void>()
  await whenSynced((real) => disk.promise.then(real))
  let isAcknowledged = false
  const committed = commit().then(() => (isAcknowledged = true))
  await vi.waitFor(() => expect(open).toHaveBeenCalledWith(`${file}-wal`, 'r+'))
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(isAcknowledged).toBe(false)
  disk.resolve()
  await committed
})

it('tells of a disk that fails', async () => {
  await whenSynced(() => Promise.reject(new Error('the disk is broken')))
  await expect(commit()).rejects.toThrow('the disk is broken')
})

it('leaves every other change to wait for the disk by itself', async () => {
  await commit()
  await expect(commitDurably(db, file, () => Promise.reject(new Error('undone')))).rejects.toThrow('undone')
  const { rows } = await sql`pragma synchronous`.execute(db)
  expect(rows).toEqual([{ synchronous: 2 }])
})
