import { type KeyObject, generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { KeyGenerator } from './key-generator.ts'
import type { KeyKind } from './key-kind.ts'

const rsa: KeyKind = { type: 'rsa', modulusLength: 4096 }
const { privateKey } = generateKeyPairSync('ed25519')

/** A generator whose RSA keys are finished by hand. */
function heldGenerator() {
  const running: PromiseWithResolvers<KeyObject>[] = []
  const keys = new KeyGenerator(({ type }) => {
    if (type !== 'rsa') return Promise.resolve(privateKey)
    const made = Promise.withResolvers<KeyObject>()
    running.push(made)
    return made.promise
  })
  return { keys, running }
}

it('makes one RSA key at a time, also after one has failed', async () => {
  const { keys, running } = heldGenerator()
  const [first, second] = [keys.privateKey(rsa), keys.privateKey(rsa)]
  await Promise.resolve()
  expect(running).toHaveLength(1)
  running[0]?.reject(new Error('no entropy'))
  await expect(first).rejects.toThrow('no entropy')
  await expect.poll(() => running.length).toBe(2)
  running[1]?.resolve(privateKey)
  expect(await second).toBe(privateKey)
})

it('does not let other keys wait behind RSA', async () => {
  const { keys } = heldGenerator()
  void keys.privateKey(rsa)
  expect(await keys.privateKey({ type: 'ed25519' })).toBe(privateKey)
})

it('refuses when too many wait, and takes more when one is done', async () => {
  const { keys, running } = heldGenerator()
  const waiting = Array.from({ length: 16 }, () => keys.privateKey(rsa))
  await expect(keys.privateKey(rsa)).rejects.toMatchObject({ reason: 'too_many_in_flight' })
  await expect.poll(() => running.length).toBe(1)
  running[0]?.resolve(privateKey)
  await waiting[0]
  const next = keys.privateKey(rsa)
  await expect.poll(() => running.length).toBe(2)
  for (let turn = 1; turn < 17; turn += 1) {
    await expect.poll(() => running.length).toBe(turn + 1)
    running[turn]?.resolve(privateKey)
  }
  expect(await next).toBe(privateKey)
})
