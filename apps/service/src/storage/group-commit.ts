import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { constraintViolation } from './constraint-violation.ts'
import type { Database } from './tables.ts'

const groupMax = 64

/** How changes reach the store: all or nothing, and on the disk when the promise resolves. */
export interface Committer {
  /** `isSingleStatement` spares what only changes of several statements need. */
  commit<T>(work: (db: Database) => Promise<T>, isSingleStatement: boolean): Promise<T>
  /** Within a change of several statements: waits until no other change that took its turn is under way, in any process. */
  takeTurn(db: Database): Promise<void>
}

const turnLock = 8_203_557_114_096_031n

/** Each change in a transaction of its own, on PostgreSQL. */
export function separateCommits(db: Database): Committer {
  return {
    commit: (work, isSingleStatement) => (isSingleStatement ? work(db) : db.transaction().execute(work)),
    takeTurn: async (changing) => void (await sql`select pg_advisory_xact_lock(${turnLock})`.execute(changing)),
  }
}

interface Waiting {
  /** Does the change within the group's transaction; the outcome is told once the group is on the disk. */
  readonly run: (db: Database) => Promise<() => void>
  readonly fail: (error: unknown) => void
}

/** Does the work in one transaction, which is on the disk when the promise resolves. */
export type Transact = (work: (db: Database) => Promise<void>) => Promise<void>

/**
 * Changes that come at the same time share one transaction, and so one wait for the disk. Each keeps its own outcome: one
 * that a guard of the store refuses is undone to its savepoint and does not disturb the others.
 */
export class GroupCommits implements Committer {
  readonly #transact: Transact
  #waiting: Waiting[] = []
  #isRunning = false

  constructor(transact: Transact) {
    this.#transact = transact
  }

  commit<T>(work: (db: Database) => Promise<T>, isSingleStatement: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const attempt = isSingleStatement ? work : withSavepoint(work)
    this.#waiting.push({
      run: async (db) => {
        try {
          const result = await attempt(db)
          return () => resolve(result)
        } catch (error) {
          // Anything but a refused value may have ended the whole transaction: then nobody's change counts.
          if (constraintViolation(error) === null) throw error
          return () => reject(error)
        }
      },
      fail: reject,
    })
    if (!this.#isRunning) void this.#drain()
    return promise
  }

  /** Changes of one process stand in a row as it is, and a transaction shuts out those of others. */
  takeTurn(): Promise<void> {
    return Promise.resolve()
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    // Requests that arrived in the same turn join the first group.
    await nextTurn()
    while (this.#waiting.length > 0) await this.#commitGroup(this.#waiting.splice(0, groupMax))
    this.#isRunning = false
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    const tell: (() => void)[] = []
    try {
      await this.#transact(async (db) => {
        for (const { run } of group) tell.push(await run(db))
      })
    } catch (error) {
      for (const { fail } of group) fail(error)
      return
    }
    for (const outcome of tell) outcome()
  }
}

function withSavepoint<T>(work: (db: Database) => Promise<T>): (db: Database) => Promise<T> {
  return async (db) => {
    await sql`savepoint one_change`.execute(db)
    try {
      return await work(db)
    } catch (error) {
      await sql`rollback to one_change`.execute(db)
      throw error
    } finally {
      await sql`release one_change`.execute(db)
    }
  }
}
