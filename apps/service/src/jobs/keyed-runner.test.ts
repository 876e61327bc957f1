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

const begun = (started: readonly string[], ...expected: readonly string[]) =>
  expect.poll(() => started, { interval: 1 }).toEqual(expected)

it('lets a second submission of a key join the first', async () => {
  const runner = new KeyedRunner({ parallelMax: 2 })
  const { started, run, finish } = work()
  const first = runner.submit('a', 'owner', run('one'))
  expect(runner.submit('a', 'owner', run('two'))).toBe(first)
  await begun(started, 'one')
  finish('one')
  await first
  const again = runner.submit('a', 'owner', run('three'))
  await begun(started, 'one', 'three')
  finish('three')
  await again
  expect(started).toEqual(['one', 'three'])
})

it('frees the key and the turn when a run fails', async () => {
  const runner = new KeyedRunner({ parallelMax: 1 })
  await expect(runner.submit('a', 'owner', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(runner.submit('a', 'owner', () => Promise.resolve())).resolves.toBeUndefined()
})

it('keeps to its limit, first come first served', async () => {
  const runner = new KeyedRunner({ parallelMax: 2 })
  const { started, run, finish } = work()
  const all = ['a', 'b', 'c', 'd'].map((key) => runner.submit(key, 'owner', run(key)))
  await begun(started, 'a', 'b')
  finish('b')
  await begun(started, 'a', 'b', 'c')
  for (const key of ['a', 'c']) finish(key)
  await begun(started, 'a', 'b', 'c', 'd')
  finish('d')
  expect(await Promise.all(all)).toHaveLength(4)
})

it('tells what runs that the service stops, and begins nothing that still waits', async () => {
  const runner = new KeyedRunner({ parallelMax: 1 })
  const { started, run } = work()
  let isRunning = false
  const first = runner.submit('a', 'owner', async (signal) => {
    isRunning = true
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    started.push('stopped')
  })
  const second = runner.submit('b', 'owner', run('b'))
  await expect.poll(() => isRunning).toBe(true)
  await runner[Symbol.asyncDispose]()
  await Promise.all([first, second])
  expect(started).toEqual(['stopped'])
})

it('gives turns to owners one after another, however many one of them wants', async () => {
  const runner = new KeyedRunner({ parallelMax: 1 })
  const { started, run, finish } = work()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((key) => runner.submit(key, key.charAt(0), run(key)))
  for (let done = 0; done < all.length; done += 1) {
    await expect.poll(() => started.length, { interval: 1 }).toBe(done + 1)
    finish(started[done] ?? '')
  }
  await Promise.all(all)
  expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
})
