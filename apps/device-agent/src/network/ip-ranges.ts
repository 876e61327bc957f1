import { BlockList, isIP } from 'node:net'

/** Where cloud machines serve their credentials, and nothing that a tunnel should lead to. */
export function isLinkLocal(ip: string): boolean {
  return isIn(linkLocal, ip)
}

export function isLoopbackIp(ip: string): boolean {
  return isIn(loopback, ip)
}

/** Whether other machines reach what listens here. `0.0.0.0` and `::` are this machine as a target, but every network as a listener. */
export function isOpenToOthers(listenHost: string): boolean {
  return ['0.0.0.0', '::'].includes(listenHost) || !(isLoopbackIp(listenHost) || isLocalhostName(listenHost))
}

/** Addresses of the device's own network. */
export function isPrivateIp(ip: string): boolean {
  return isIn(privateUse, ip)
}

/** Names that mean this machine whatever a resolver says (RFC 6761, section 6.3). */
export function isLocalhostName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

const linkLocal = rangesOf('169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128')
const loopback = rangesOf('127.0.0.0/8', '0.0.0.0/32', '::1/128', '::/128')
const privateUse = rangesOf('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7')

function rangesOf(...ranges: string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/')
    list.addSubnet(network, Number(prefix), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** A BlockList also knows IPv4 addresses that are written as IPv6 ones. */
function isIn(list: BlockList, ip: string): boolean {
  const [address = ''] = ip.split('%')
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
