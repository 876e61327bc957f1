import { expect, it } from 'vitest'
import { freeDroppedContexts } from '../../src/certs/serving/collect-garbage.ts'
import { ContextCache, type KeyAndChain } from '../../src/certs/serving/context-cache.ts'
import { throwAwayCertificate } from './throw-away-certificate.ts'

const certificate = await throwAwayCertificate(['a.test'])

function cacheOf(load: (id: string) => Promise<KeyAndChain | undefined>, contextsMax = 3, creationsPerSecond = 1_000) {
  const loaded: string[] = []
  let collections = 0
  const cache = new ContextCache({
    load: (id) => {
      loaded.push(id)
      return load(id)
    },
    contextsMax,
    creationsPerSecond,
    nowMs: () => performance.now(),
    onDropped: freeDroppedContexts(() => (collections += 1)),
  })
  return { cache, loaded, collected: () => collections }
}

it('makes a context once, for all who ask at the same time', async () => {
  const { cache, loaded } = cacheOf(() => Promise.resolve(certificate))
  const [first, second] = await Promise.all([cache.get('a'), cache.get('a')])
  expect(first).toBe(second)
  expect(loaded).toEqual(['a'])
})

it('keeps to its bound and drops the least recently used first', async () => {
  const { cache, loaded } = cacheOf(() => Promise.resolve(certificate))
  for (const id of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await cache.get(id)
  expect(cache.size).toBe(3)
  expect(loaded).toEqual(['a', 'b', 'c', 'd', 'b'])
})

it('has the memory of dropped contexts freed, which V8 does not see, after every few hundred', async () => {
  const { cache, collected } = cacheOf(() => Promise.resolve(certificate), 10, 100_000)
  for (let index = 0; index < 520; index += 1) await cache.get(`c${index}`)
  expect(collected()).toBe(2)
})

it('remembers neither a failure nor a certificate that is gone', async () => {
  let answer: Promise<KeyAndChain | undefined> = Promise.reject(new Error('store is down'))
  const { cache } = cacheOf(() => answer)
  await expect(cache.get('a')).rejects.toThrow('store is down')
  answer = Promise.resolve(undefined)
  expect(await cache.get('a')).toBeUndefined()
  answer = Promise.resolve(certificate)
  expect(await cache.get('a')).toBeDefined()
  cache.forget('a')
  expect(cache.size).toBe(0)
})

it('slows a flood of names down to its rate, and refuses what would wait too long', async () => {
  const { cache } = cacheOf(() => Promise.resolve(certificate), 100, 2_000)
  const startedAtMs = performance.now()
  const flood = await Promise.allSettled(Array.from({ length: 3_200 }, (_, index) => cache.get(`c${index}`)))
  expect(performance.now() - startedAtMs).toBeGreaterThan(450)
  expect(flood.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(150)
  expect(cache.size).toBeLessThanOrEqual(100)
})
