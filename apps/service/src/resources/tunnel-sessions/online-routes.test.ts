import { assert, integer, option, property, string, uniqueArray } from 'fast-check'
import { expect, it } from 'vitest'
import { newestFirst } from './online-routes.ts'

it('gives the same page as all items in order, cut', () => {
  const id = string({ minLength: 1, maxLength: 2 })
  const ids = uniqueArray(id, { maxLength: 60 })
  assert(
    property(ids, integer({ min: 1, max: 8 }), option(id, { nil: undefined }), (all, count, beforeId) => {
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
