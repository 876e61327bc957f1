import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { idBehind, mintId } from './ids.ts'

const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const distance = fc.nat({ max: 2 ** 48 })

it('ids behind an id sort by their distance, and before what is newer', () => {
  fc.assert(
    fc.property(time, distance, distance, (now, a, b) => {
      const id = mintId('ed', now.getTime())
      const [first, second] = [idBehind('ed', id, Math.min(a, b)), idBehind('ed', id, Math.max(a, b))]
      const newer = mintId('ed', now.getTime() + 2000)
      expect([id <= first, first <= second, first === second, second < newer]).toEqual([true, true, a === b, true])
      expect(second).toMatch(/^ed_[0-9A-Za-z]{27}$/)
    }),
  )
})

it('an id at no distance is the same one under another prefix', () => {
  expect(idBehind('ep', 'tn_2RWUhWYxiTp8Fnd3RsCCtWTF8vY', 0)).toBe('ep_2RWUhWYxiTp8Fnd3RsCCtWTF8vY')
})
