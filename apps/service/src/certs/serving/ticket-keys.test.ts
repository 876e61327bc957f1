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
  expect(first.current).toEqual(second.current)
  expect(third.current).toEqual(first.current)
  for (const keys of [first, second, third]) keys[Symbol.dispose]()
})

it('changes with the period at all processes alike, tells who listens, and keeps nothing of the period before', async () => {
  let nowMs = 0
  const values = new ValuesInMemory()
  const options = { values, nowMs: () => nowMs, onFailure }
  using first = await TicketKeys.start(options)
  using second = await TicketKeys.start(options)
  const before = first.current
  const told: Buffer[] = []
  first.onRotated((keys) => told.push(keys))
  await first.rotate()
  expect(told).toEqual([])

  nowMs = halfDayMs
  await Promise.all([first.rotate(), second.rotate()])
  expect(first.current).not.toEqual(before)
  expect(second.current).toEqual(first.current)
  expect(told).toEqual([first.current])
  expect(values.stored?.value).not.toContain(before.toString('base64'))
})

it('goes with the process whose clock is ahead', async () => {
  const values = new ValuesInMemory()
  using ahead = await TicketKeys.start({ values, nowMs: () => halfDayMs, onFailure })
  using behind = await TicketKeys.start({ values, nowMs: () => halfDayMs - 1, onFailure })
  expect(behind.current).toEqual(ahead.current)
})
