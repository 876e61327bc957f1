import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseWireTime, wireTime } from './wire-time.ts'

it.each([
  ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31t12:00:00z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00.999999999Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00+05:30', '2026-01-31T06:30:00Z'],
  ['2028-02-29T00:00:00-00:00', '2028-02-29T00:00:00Z'],
])('reads %s as %s', (text, utc) => {
  expect(wireTime(parseWireTime(text) ?? NaN)).toBe(utc)
})

it.each(
  [
    ['', 'now', '2026', '2026-01-31', '1767225600', '2026-01-31 12:00:00Z', '2026-01-31T12:00Z', '2026-01-31T12:00:00'],
    ['2026-02-29T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z', '2026-01-00T00:00:00Z'],
    ['2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:60Z', '2026-01-01T00:00:00.Z'],
    ['2026-01-01T00:00:00+2:00', '2026-01-01T00:00:00+25:00', '2026-01-01T00:00:00+00:60', '+002026-01-01T00:00:00Z'],
  ].flat(),
)('takes "%s" for no timestamp', (text) => {
  expect(parseWireTime(text)).toBeNull()
})

it('reads back every second that it can write', () => {
  const seconds = fc.integer({ min: 0, max: 253_402_300_799 })
  fc.assert(
    fc.property(seconds, (second) => {
      expect(parseWireTime(wireTime(second * 1000))).toBe(second * 1000)
    }),
  )
})
