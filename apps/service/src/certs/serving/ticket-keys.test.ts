import { expect, it } from 'vitest'
import { TicketKeys } from './ticket-keys.ts'

const halfDayMs = 12 * 3_600_000

class ValuesInMemory {
  stored: { readonly value: string; readonly revision: number } | null = null

  read() {
    return Promise.resolve(this.stored)
  }

  write(_name: string, value: string, revision: number | null) {
    const isCurrent = (this.stored?.revision ?? null) === revision
    if (isCurrent) this.stored = { value, revision: (revision ?? 0) + 1 }
    return Promise.resolve(isCurrent)
  }
}

const onFailure = (error: unknown) => expect.fail(String(error))

it('is the same for all processes that start at once, and for one that starts later', async () => {
  const options = { values: new ValuesInMemory(), nowMs: () => 0, onFailure }
  const [first, second] = await Promise.all([TicketKeys.start(options), TicketKeys.start(options)])
  const third = await TicketKeys.start(options)
  const made = first.keysFor('a.test')
  expect(made).toHaveLength(48)
  expect([second.keysFor('a.test'), third.keysFor('a.test')]).toEqual([made, made])
  for (const keys of [first, second, third]) keys[Symbol.dispose]()
})

it('changes with the period at all processes alike, tells who listens, and keeps nothing of the period before', async () => {
  let nowMs = 0
  const values = new ValuesInMemory()
  const options = { values, nowMs: () => nowMs, onFailure }
  using first = await TicketKeys.start(options)
  using second = await TicketKeys.start(options)
  const before = first.keysFor('a.test')
  let told = 0
  first.onRotated(() => (told += 1))
  await first.rotate()
  expect(told).toBe(0)

  nowMs = halfDayMs
  await Promise.all([first.rotate(), second.rotate()])
  expect(first.keysFor('a.test')).not.toEqual(before)
  expect(second.keysFor('a.test')).toEqual(first.keysFor('a.test'))
  expect(told).toBe(1)
  expect(values.stored?.value).toMatch(/^1 \S+$/)
})

it('goes with the process whose clock is ahead', async () => {
  const values = new ValuesInMemory()
  using ahead = await TicketKeys.start({ values, nowMs: () => halfDayMs, onFailure })
  using behind = await TicketKeys.start({ values, nowMs: () => halfDayMs - 1, onFailure })
  expect(behind.keysFor('a.test')).toEqual(ahead.keysFor('a.test'))
})

it('has other keys for each purpose, of which no part is the same', async () => {
  using keys = await TicketKeys.start({ values: new ValuesInMemory(), nowMs: () => 0, onFailure })
  const thirds = ['a.test', 'b.test', ''].flatMap((purpose) => {
    const made = keys.keysFor(purpose)
    return [0, 16, 32].map((at) => made.toString('hex', at, at + 16))
  })
  expect(new Set(thirds).size).toBe(9)
})
