import { SocketAddress, isIPv4, isIPv6 } from 'node:net'
import { ServiceError } from '@tunnel/models'

/** Checks a network in CIDR form; it must be written with its lowest address. Returns it as given. */
export function checkedCidr(cidr: string): string {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(cidr) ?? []
  const bits = isIPv4(address) ? 32 : 128
  if (!isIPv4(address) && !isIPv6(address)) throw invalid('is not an IP network')
  if (prefix === undefined) throw new ServiceError('cidr_without_mask', { cidr, suggestion: `${address}/${bits}` })
  if (Number(prefix) > bits) throw invalid(`has a mask of more than ${bits} bits`)
  const lowest = lowestAddress(toBytes(address), Number(prefix))
  if (Buffer.compare(toBytes(address), lowest) !== 0)
    throw new ServiceError('cidr_not_lowest', { cidr, suggestion: `${toText(lowest)}/${prefix}` })
  return cidr
}

/** The one spelling under which equal networks compare equal. */
export function canonicalCidr(cidr: string): string {
  const [address = '', prefix = ''] = cidr.split('/')
  return `${toText(toBytes(address))}/${Number(prefix)}`
}

function invalid(problem: string): ServiceError {
  return new ServiceError('cidr_invalid', { field: 'cidr', problem })
}

function toBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = expandIpv4Tail(address).split('::')
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0)
  const bytes = Buffer.alloc(16)
  for (const [index, group] of [...left, ...zeros, ...right].entries()) bytes.writeUInt16BE(group, index * 2)
  return bytes
}

function groups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
}

/** `::ffff:192.0.2.1` with its last part as two groups. */
function expandIpv4Tail(address: string): string {
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  if (tail === null) return address
  const [a = 0, b = 0, c = 0, d = 0] = tail.slice(1).map(Number)
  const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':')
  return address.slice(0, tail.index) + hex
}

function toText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const hex = bytes.toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:')
  return new SocketAddress({ address: hex, family: 'ipv6' }).address
}

function lowestAddress(bytes: Buffer, prefix: number): Buffer {
  const kept = (index: number) => Math.min(Math.max(prefix - index * 8, 0), 8)
  return Buffer.from(bytes.map((byte, index) => byte & (0xff << (8 - kept(index)))))
}
