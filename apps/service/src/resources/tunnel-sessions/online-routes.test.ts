import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newestFirst } from './online-routes.ts'

it('gives the same page as all items in order, cut', () => {
  const id = fc.string({ minLength: 1, maxLength: 2 })
  const ids = fc.uniqueArray(id, { maxLength: 60 })
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 8 }), fc.option(id, { nil: undefined }), (all, count, beforeId) => {
      const newest = all.filter((one) => beforeId === undefined || one < beforeId).sort((a, b) => (a < b ? 1 : -1))
      const page = newestFirst(
        all.map((one) => ({ id: one })),
        count,
        beforeId,
      )
      expect(page.map((item) => item.id)).toEqual(newest.slice(0, count))
    }),
  )
})
