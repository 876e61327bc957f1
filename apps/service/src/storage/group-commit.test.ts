import { afterEach, beforeEach, expect, it } from 'vitest'
import { GroupCommits } from './group-commit.ts'
import { openSqlite } from './sqlite.ts'
import type { Database } from './tables.ts'

let db: Database
beforeEach(async () => {
  db = openSqlite(':memory:')
  await db.schema
    .createTable('tombstones')
    .addColumn('id', 'text', (id) => id.primaryKey())
    .addColumn('deleted_at', 'bigint')
    .execute()
})
afterEach(() => db.destroy())

const inMemory = (work: (on: Database) => Promise<void>) => db.transaction().execute(work)

const insert = (id: string) => (on: Database) => on.insertInto('tombstones').values({ id, deleted_at: 1 }).execute()
const ids = async () => (await db.selectFrom('tombstones').select('id').orderBy('id').execute()).map(({ id }) => id)

it('gives every change of a group its own outcome, and undoes only what a guard refuses', async () => {
  const commits = new GroupCommits(inMemory)
  const twoThings = async (on: Database) => {
    await insert('c')(on)
    await insert('a')(on)
  }
  const outcomes = await Promise.allSettled([
    commits.commit(insert('a'), true),
    commits.commit(twoThings, false),
    commits.commit(insert('a'), true),
    commits.commit(insert('b'), true),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await ids()).toEqual(['a', 'b'])
})

it('stores nothing of a group in which something broke, and goes on with the next', async () => {
  const commits = new GroupCommits(inMemory)
  const broken = () => Promise.reject(new Error('disk'))
  const outcomes = await Promise.allSettled([commits.commit(insert('a'), true), commits.commit(broken, true)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await commits.commit(insert('b'), true)
  expect(await ids()).toEqual(['b'])
})
