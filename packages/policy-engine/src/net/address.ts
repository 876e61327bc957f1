import { isIPv4, isIPv6 } from 'node:net'

const addressMaxChars = 64

/**
 * An IP address as 33 hex digits, so that order and equality are those of the text: 0 and the address for IPv6, 1 and
 * the address for IPv4. The mapped form of an IPv4 address (RFC 4291, section 2.5.5.2) is that address. Undefined for
 * anything but a strict address: no octal, no missing parts.
 */
export function addressKey(text: string): string | undefined {
  if (text.length > addressMaxChars) return undefined
  if (text !== latest.text) latest = { text, key: readKey(text) }
  return latest.key
}

/** Rules ask about the address of one visitor again and again. */
let latest: { readonly text: string; readonly key: string | undefined } = { text: '', key: undefined }

function readKey(text: string): string | undefined {
  if (isIPv4(text)) return ipv4Prefix + ipv4Hex(text)
  const percent = text.indexOf('%')
  const address = percent < 0 ? text : text.slice(0, percent)
  if (!isIPv6(address)) return undefined
  const hex = ipv6Hex(address)
  return hex.startsWith(mappedPrefix) ? ipv4Prefix + hex.slice(mappedPrefix.length) : `0${hex}`
}

const ipv4Prefix = '1000000000000000000000000'
const mappedPrefix = '00000000000000000000ffff'

function ipv4Hex(text: string): string {
  let value = 0
  for (const part of text.split('.')) value = value * 256 + Number(part)
  return value.toString(16).padStart(8, '0')
}

function ipv6Hex(text: string): string {
  const [head = '', tail] = text.split('::')
  const left = groups(head)
  if (tail === undefined) return left
  const right = groups(tail)
  return left + '0'.repeat(32 - left.length - right.length) + right
}

function groups(text: string): string {
  if (text === '') return ''
  return text
    .split(':')
    .map((group) => (group.includes('.') ? ipv4Hex(group) : group.padStart(4, '0').toLowerCase()))
    .join('')
}

/** RFC 1918 ranges only. */
export function isPrivateIpv4(text: string): boolean {
  const key = addressKey(text)
  if (!key?.startsWith(ipv4Prefix)) return false
  const value = Number.parseInt(key.slice(ipv4Prefix.length), 16)
  return value >>> 24 === 10 || value >>> 20 === 0xac1 || value >>> 16 === 0xc0a8
}
