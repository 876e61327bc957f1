import { expect, it } from 'vitest'
import { StartedParts } from './lifecycle.ts'

function part(log: string[], name: string, stop: () => Promise<void> = () => Promise.resolve()): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      log.push(name)
      await stop()
    },
  }
}

it('stops parts in the reverse order, once, and goes on past one that fails or hangs', async () => {
  const log: string[] = []
  const problems: string[] = []
  const parts = new StartedParts((name) => problems.push(name))
  parts.add('storage', part(log, 'storage'))
  parts.add(
    'edge',
    part(log, 'edge', () => Promise.reject(new Error('broken'))),
  )
  parts.add(
    'api',
    part(log, 'api', () => new Promise(() => undefined)),
  )
  await Promise.all([parts.stop(10), parts.stop(10)])
  expect(log).toEqual(['api', 'edge', 'storage'])
  expect(problems).toEqual(['api', 'edge'])
})
