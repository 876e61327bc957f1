import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Envelope, RecordStore, StoreWriteError } from './record-store.ts'

/** A disk whose writes take a turn of the event loop and fail where told. */
class FakeDisk {
  stored: Envelope<number> | null = null
  readonly #fails: (write: number) => boolean
  #writes = 0

  constructor(fails: (write: number) => boolean = () => false) {
    this.#fails = fails
  }

  async read(): Promise<Envelope<number> | null> {
    return this.stored
  }

  async write(envelope: Envelope<number>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#fails(this.#writes++)) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
    this.stored = envelope
  }
}

it('keeps all of a hundred changes that are made at once', async () => {
  const disk = new FakeDisk()
  const store = await RecordStore.open(disk)
  await Promise.all(Array.from({ length: 100 }, (_, n) => store.change((records) => [...records, n])))
  expect(disk.stored?.records).toHaveLength(100)
})

it('shows no change that the disk refused, and settles each caller by its own write', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (failures) => {
      const disk = new FakeDisk((write) => failures[write] === true)
      const store = await RecordStore.open(disk)
      const changes = failures.map((_, n) => store.change((records) => [...records, n]))
      const results = await Promise.allSettled(changes)
      const kept = [...failures.keys()].filter((n) => results[n]?.status === 'fulfilled')
      expect(kept).toEqual([...failures.keys()].filter((n) => !failures[n]))
      expect(store.records).toEqual(kept)
      expect(disk.stored?.records ?? []).toEqual(kept)
    }),
    { numRuns: 50 },
  )
})

it('does not show a change before it is on the disk', async () => {
  const store = await RecordStore.open(new FakeDisk())
  const change = store.change(() => [1])
  expect(store.records).toEqual([])
  await change
  expect(store.records).toEqual([1])
})

it('names a full disk, and takes a bounded number of waiting changes', async () => {
  const store = await RecordStore.open(new FakeDisk(() => true))
  await expect(store.change(() => [1])).rejects.toMatchObject({ isDiskFull: true })
  const changes = Array.from({ length: 1001 }, () => store.change(() => [1]).catch((error: unknown) => error))
  await expect(changes.at(-1)).resolves.toBeInstanceOf(StoreWriteError)
  await Promise.all(changes)
})
