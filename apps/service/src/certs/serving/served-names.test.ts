import { expect, it } from 'vitest'
import { ServedNames } from './served-names.ts'

it('finds a name, prefers it to a wildcard, and lets a wildcard stand for one label only', () => {
  const names = new ServedNames()
  names.set('rd_1', ['*.app.test'], 'wild')
  names.set('rd_2', ['own.app.test'], 'own')
  expect(
    ['own.app.test', 'a.app.test', 'a.b.app.test', 'app.test', 'test', ''].map((name) => names.find(name)),
  ).toEqual(['own', 'wild', undefined, undefined, undefined, undefined])
})

it('replaces and forgets the names of an owner', () => {
  const names = new ServedNames()
  names.set('agin_1', ['connect.test', 'tunnel.eu.connect.test'], 'first')
  names.set('agin_1', ['connect.test'], 'second')
  expect([names.find('connect.test'), names.find('tunnel.eu.connect.test')]).toEqual(['second', undefined])
  names.delete('agin_1')
  expect(names.find('connect.test')).toBeUndefined()
})
