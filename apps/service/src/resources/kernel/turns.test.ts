import { expect, it } from 'vitest'
import { Turns } from './turns.ts'

it('works on one thing in order, on others at once, goes on after a failure, and remembers nothing', async () => {
  const turns = new Turns()
  const steps: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = turns.take('a', async () => {
    await gate.promise
    steps.push('a1')
    throw new Error('failed')
  })
  const second = turns.take('a', async () => steps.push('a2'))
  const other = turns.take('b', async () => {
    steps.push('b1')
    gate.resolve()
  })
  await expect(first).rejects.toThrow('failed')
  await Promise.all([second, other])
  expect(steps).toEqual(['b1', 'a1', 'a2'])
  expect(turns.size).toBe(0)
})
