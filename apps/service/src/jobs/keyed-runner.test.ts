import { expect, it } from 'vitest'
import { KeyedRunner } from './keyed-runner.ts'

function work() {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const run = (name: string) => async () => {
    started.push(name)
    await new Promise<void>((resolve) => finish.set(name, resolve))
  }
  return { started, run, finish: (name: string) => finish.get(name)?.() }
}

it('lets a second submission of a key join the first', async () => {
  const runner = new KeyedRunner({ parallelMax: 2 })
  const { started, run, finish } = work()
  const first = runner.submit('a', run('one'))
  expect(runner.submit('a', run('two'))).toBe(first)
  finish('one')
  await first
  const again = runner.submit('a', run('three'))
  finish('three')
  await again
  expect(started).toEqual(['one', 'three'])
})

it('frees the key and the turn when a run fails', async () => {
  const runner = new KeyedRunner({ parallelMax: 1 })
  await expect(runner.submit('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(runner.submit('a', () => Promise.resolve())).resolves.toBeUndefined()
})

it('keeps to its limit, first come first served', async () => {
  const runner = new KeyedRunner({ parallelMax: 2 })
  const { started, run, finish } = work()
  const all = ['a', 'b', 'c', 'd'].map((key) => runner.submit(key, run(key)))
  expect(started).toEqual(['a', 'b'])
  finish('b')
  await all[1]
  expect(started).toEqual(['a', 'b', 'c'])
  for (const key of ['a', 'c']) finish(key)
  await all[2]
  finish('d')
  await Promise.all(all)
})

it('tells what runs that the service stops, and begins nothing that still waits', async () => {
  const runner = new KeyedRunner({ parallelMax: 1 })
  const { started, run } = work()
  const first = runner.submit('a', async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    started.push('stopped')
  })
  const second = runner.submit('b', run('b'))
  await runner[Symbol.asyncDispose]()
  await Promise.all([first, second])
  expect(started).toEqual(['stopped'])
})
