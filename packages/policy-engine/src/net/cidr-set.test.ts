import { BlockList, isIPv6 } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CidrSet, isCidr, isInCidr } from './cidr-set.ts'

const ipv4 = fc.ipV4()
const ipv6 = fc.ipV6()
const cidr4 = fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map(([ip, bits]) => `${ip}/${bits}`)
const cidr6 = fc.tuple(ipv6, fc.integer({ min: 0, max: 128 })).map(([ip, bits]) => `${ip}/${bits}`)

describe('CidrSet', () => {
  it('agrees with the block list of Node on addresses and blocks of one family', () => {
    const sets = fc.array(fc.oneof(cidr4, cidr6), { maxLength: 12 })
    const disagreements: string[] = []
    fc.assert(
      fc.property(sets, fc.oneof(ipv4, ipv6), (cidrs, address) => {
        const reference = new BlockList()
        for (const cidr of cidrs) {
          const [ip = '', bits] = cidr.split('/')
          if (isIPv6(ip) === isIPv6(address)) reference.addSubnet(ip, Number(bits), isIPv6(ip) ? 'ipv6' : 'ipv4')
        }
        const isListed = reference.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
        if ((new CidrSet(cidrs).find(address) !== undefined) !== isListed)
          disagreements.push(`${address} in ${cidrs.join(' ')}`)
      }),
      { numRuns: 2000 },
    )
    expect(disagreements).toEqual([])
  })

  it('keeps the families apart: all of IPv6 holds no IPv4 address', () => {
    expect(new CidrSet(['::/0']).find('10.0.0.1')).toBeUndefined()
    expect(new CidrSet(['::/0']).find('::ffff:10.0.0.1')).toBeUndefined()
    expect(new CidrSet(['::ffff:10.0.0.0/104']).find('10.0.0.1')).toBe('::ffff:10.0.0.0/104')
  })

  it('names the smallest block that holds the address', () => {
    const set = new CidrSet(['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '10.1.0.0/16'])
    expect(set.find('10.1.2.3')).toBe('10.1.2.3')
    expect(set.find('10.1.2.4')).toBe('10.1.0.0/16')
    expect(set.find('10.2.0.0')).toBe('10.0.0.0/8')
    expect(set.find('11.0.0.0')).toBeUndefined()
  })

  it('takes the mapped form of an IPv4 address for the address', () => {
    const set = new CidrSet(['192.0.2.0/24'])
    expect(set.find('::ffff:192.0.2.7')).toBe('192.0.2.0/24')
    expect(set.find('::ffff:c000:207')).toBe('192.0.2.0/24')
    expect(set.find('::192.0.2.7')).toBeUndefined()
  })

  it('ignores the zone of a link-local address', () => {
    expect(new CidrSet(['fe80::/10']).find('fe80::1%eth0')).toBe('fe80::/10')
  })

  it.each(['010.0.0.1', '10.1', '10.0.0', '1.2.3.4.5', '256.1.1.1', '0x7f.0.0.1', '', 'localhost', '2130706433'])(
    'finds nothing for %j, which is no strict address',
    (text) => expect(new CidrSet(['0.0.0.0/0', '::/0']).find(text)).toBeUndefined(),
  )

  it.each([
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0/64',
    '::ffff:0:0/95',
    'x',
  ])('refuses the block %j', (text) => {
    expect(isCidr(text)).toBe(false)
    expect(isInCidr('10.0.0.1', text)).toBe(false)
  })

  it('covers the last address of the space', () => {
    expect(new CidrSet(['ffff::/16']).find('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff')).toBe('ffff::/16')
    expect(new CidrSet(['255.255.255.255']).find('255.255.255.255')).toBe('255.255.255.255')
  })
})
