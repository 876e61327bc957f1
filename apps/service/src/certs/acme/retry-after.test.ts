import { expect, it } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

it.each([
  [null, null],
  ['3600', 3_600_000],
  ['0', 0],
  ['Sat, 01 Jan 2000 00:01:30 GMT', 90_000],
  ['Fri, 31 Dec 1999 00:00:00 GMT', 0],
  ['soon', null],
  ['999999999', 30 * 86_400_000],
])('reads Retry-After %s as %s ms', (header, expected) => {
  expect(retryAfterMs(header, Date.UTC(2000, 0, 1))).toBe(expected)
})
