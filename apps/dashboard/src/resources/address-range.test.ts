import { describe, expect, it } from 'vitest'
import { parseAddress, rangeHolds } from './address-range.ts'

function holds(cidr: string, address: string): boolean {
  const parsed = parseAddress(address)
  return parsed !== null && rangeHolds(cidr, parsed)
}

describe('address ranges', () => {
  it.each([
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/24', '192.0.3.0', false],
    ['192.0.2.0/24', '::ffff:192.0.2.7', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['::1/128', '::1', true],
  ])('%s holds %s: %s', (cidr, address, expected) => {
    expect(holds(cidr, address)).toBe(expected)
  })

  it.each(['256.0.0.1', '1.2.3', ':::', '1:2:3:4:5:6:7:8:9', 'g::1', '12345::', ''])('refuses %s', (text) => {
    expect(parseAddress(text)).toBeNull()
  })
})
