import { expect, it } from 'vitest'
import { median, percentile } from './statistics.ts'

it('takes the middle of an odd and the mean of an even number of values', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([9, 1, 5, 3])).toBe(4)
  expect(median([])).toBeNaN()
})

it('takes a percentile that occurred', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)
  expect(percentile(values, 0.99)).toBe(99)
  expect(percentile(values, 1)).toBe(100)
  expect(percentile([7], 0.5)).toBe(7)
})
