import { addressKey } from './address.ts'
import { CidrSet } from './cidr-set.ts'

const globalIpv6 = '2000::/3'

const blocks = new CidrSet([
  // Private, shared, loopback, link-local, documentation, multicast and reserved (RFC 6890).
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  globalIpv6,
  // Within it: protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4 address.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])

/** Whether an address is one of the Internet, and not of the network that we are in. What is no strict address is not. */
export function isPublicAddress(address: string): boolean {
  const isIpv4 = addressKey(address)?.startsWith('1') === true
  return isIpv4 ? blocks.find(address) === undefined : blocks.find(address) === globalIpv6
}
