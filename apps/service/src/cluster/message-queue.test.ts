import { expect, it } from 'vitest'
import { MessageQueue } from './message-queue.ts'

const messagesMax = 1_000

it('hands messages over one after the other, and a failing listener does not stop those behind it', async () => {
  const problems: unknown[] = []
  const queue = new MessageQueue((error) => problems.push(error))
  const heard: unknown[] = []
  const done = Promise.withResolvers<void>()
  queue.listen('slow', async (body) => {
    await Promise.resolve()
    heard.push(body)
    if (body === 2) throw new Error('broken')
  })
  queue.listen('last', (body) => {
    heard.push(body)
    done.resolve()
  })
  for (const body of [1, 2, 3]) queue.add('slow', body)
  queue.add('of nobody', 4)
  queue.add('last', 5)
  await done.promise
  expect(heard).toEqual([1, 2, 3, 5])
  expect(problems).toMatchObject([{ message: 'broken' }])
})

it('keeps to its bound under a flood: the rest becomes one gap, after which everything is read anew', async () => {
  const queue = new MessageQueue((error) => expect.fail(String(error)))
  let heard = 0
  const gap = Promise.withResolvers<void>()
  queue.listen('flood', () => void (heard += 1))
  queue.onGap(() => gap.resolve())
  for (let sent = 0; sent < 3 * messagesMax; sent += 1) queue.add('flood', sent)
  await gap.promise
  expect(heard).toBe(messagesMax)
})
