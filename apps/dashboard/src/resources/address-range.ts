import ipaddr from 'ipaddr.js'

/** An address as the service compares it: an IPv4-mapped IPv6 address counts as IPv4. Null when the text is none. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const isDecimalOrV6 = text.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(text)
  return isDecimalOrV6 && ipaddr.isValid(text) ? ipaddr.process(text) : null
}

/** Whether the range, such as 192.0.2.0/24, holds the address. */
export function rangeHolds(cidr: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (!ipaddr.isValidCIDR(cidr)) return false
  const [network, length] = ipaddr.parseCIDR(cidr)
  return network.kind() === address.kind() && address.match(network, length)
}
