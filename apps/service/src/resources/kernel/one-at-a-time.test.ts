import { expect, it } from 'vitest'
import { OneAtATime } from './one-at-a-time.ts'

it('works on one thing in order, on others at once, goes on after a failure, and remembers nothing', async () => {
  const works = new OneAtATime()
  const steps: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = works.run('a', async () => {
    await gate.promise
    steps.push('a1')
    throw new Error('failed')
  })
  const second = works.run('a', async () => steps.push('a2'))
  const other = works.run('b', async () => {
    steps.push('b1')
    gate.resolve()
  })
  await expect(first).rejects.toThrow('failed')
  await Promise.all([second, other])
  expect(steps).toEqual(['b1', 'a1', 'a2'])
  expect(works.size).toBe(0)
})
