import { type Adapter, Low } from 'lowdb'

/** What the file holds. The version changes when an older agent could not read the records. */
export interface Envelope<R> {
  readonly version: 1
  readonly records: readonly R[]
}

/** The disk did not take a change. Nothing has changed; trying again later may work. */
export class StoreWriteError extends Error {
  override readonly name = 'StoreWriteError'
  readonly isDiskFull: boolean

  constructor(cause: unknown) {
    super('the change could not be stored', { cause })
    this.isDiskFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((cause as NodeJS.ErrnoException).code ?? '')
  }
}

const waitingChangesMax = 1000

/**
 * Records in memory, with every change on the disk before it shows. Changes are applied one after the other, and
 * each caller settles by the write of its own change.
 */
export class RecordStore<R> {
  readonly #database: Low<Envelope<R>>
  #committed: Envelope<R>
  #lastChange: Promise<unknown> = Promise.resolve()
  #waiting = 0

  private constructor(database: Low<Envelope<R>>) {
    this.#database = database
    this.#committed = database.data
  }

  static async open<R>(adapter: Adapter<Envelope<R>>): Promise<RecordStore<R>> {
    const database = new Low<Envelope<R>>(adapter, { version: 1, records: [] })
    await database.read()
    return new RecordStore(database)
  }

  get records(): readonly R[] {
    return this.#committed.records
  }

  /**
   * Replaces the records by what `edit` returns. An error of `edit` is passed on and changes nothing.
   * @throws StoreWriteError when the disk refuses
   */
  change(edit: (records: readonly R[]) => readonly R[]): Promise<void> {
    if (this.#waiting >= waitingChangesMax)
      return Promise.reject(new StoreWriteError(new Error('too many changes wait')))
    this.#waiting += 1
    const change = this.#lastChange.then(() => this.#apply(edit)).finally(() => (this.#waiting -= 1))
    this.#lastChange = change.catch(() => undefined)
    return change
  }

  /** Settles when everything asked for so far is on the disk or refused. */
  async idle(): Promise<void> {
    await this.#lastChange
  }

  async #apply(edit: (records: readonly R[]) => readonly R[]): Promise<void> {
    this.#database.data = { version: 1, records: edit(this.#committed.records) }
    try {
      await this.#database.write()
    } catch (error) {
      this.#database.data = this.#committed
      throw new StoreWriteError(error)
    }
    this.#committed = this.#database.data
  }
}
