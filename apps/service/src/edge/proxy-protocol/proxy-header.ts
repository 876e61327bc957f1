import { isIP, SocketAddress } from 'node:net'

/** Both ends of a connection as the proxy in front of us saw them. */
export interface ProxiedAddresses {
  readonly source: Address
  readonly destination: Address
}

interface Address {
  /** IPv4-mapped addresses as IPv4, without a zone id. */
  readonly ip: string
  readonly port: number
}

/** What is known of a PROXY protocol header that may not have come whole. */
export type ProxyHeaderState =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'invalid' }
  /** `addresses` null: the proxy speaks for itself (`LOCAL`), or does not tell (`UNKNOWN`, unspecified and Unix addresses). */
  | { readonly kind: 'known'; readonly length: number; readonly addresses: ProxiedAddresses | null }

const incomplete = { kind: 'incomplete' } as const
const invalid = { kind: 'invalid' } as const

const signatureV2 = Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10])
const prefixV1 = Buffer.from('PROXY ')
/** The longest line that version 1 can be, with its line end. */
const lineMaxBytes = 107
const headerV2Bytes = 16
/** Addresses and additional fields of version 2 together. */
const contentMaxBytes = 4096

/** Reads a header of version 1 or 2 at the beginning of a connection (haproxy.org, PROXY protocol). Never throws. */
export function readProxyHeader(bytes: Buffer): ProxyHeaderState {
  if (begins(bytes, signatureV2)) return readVersion2(bytes)
  if (begins(bytes, prefixV1)) return readVersion1(bytes)
  return invalid
}

/** As far as the bytes go. */
function begins(bytes: Buffer, expected: Buffer): boolean {
  const length = Math.min(bytes.length, expected.length)
  return bytes.subarray(0, length).equals(expected.subarray(0, length))
}

function readVersion1(bytes: Buffer): ProxyHeaderState {
  const end = bytes.subarray(0, lineMaxBytes).indexOf('\r\n')
  if (end < 0) return bytes.length < lineMaxBytes ? incomplete : invalid
  const line = bytes.toString('latin1', prefixV1.length, end)
  const length = end + 2
  if (/^UNKNOWN(?: |$)/.test(line)) return { kind: 'known', length, addresses: null }
  const [family, source, destination, sourcePort, destinationPort, ...more] = line.split(' ')
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : undefined
  if (version === undefined || more.length > 0) return invalid
  return known(length, version, [source, sourcePort], [destination, destinationPort])
}

type AddressText = readonly [ip: string | undefined, port: string | undefined]

function known(length: number, version: 4 | 6, from: AddressText, to: AddressText): ProxyHeaderState {
  const source = addressOf(from, version)
  const destination = addressOf(to, version)
  if (source === undefined || destination === undefined) return invalid
  return { kind: 'known', length, addresses: { source, destination } }
}

function addressOf([ip = '', port = '']: AddressText, version: 4 | 6): Address | undefined {
  const [address = ''] = ip.split('%', 1)
  if (isIP(address) !== version || !/^(?:0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) return undefined
  return { ip: canonical(address, version), port: Number(port) }
}

function canonical(ip: string, version: 4 | 6): string {
  if (version === 4) return ip
  return new SocketAddress({ address: ip, family: 'ipv6' }).address.replace(/^::ffff:(?=\d+\.)/, '')
}

function readVersion2(bytes: Buffer): ProxyHeaderState {
  if (bytes.length < headerV2Bytes) return incomplete
  const versionAndCommand = bytes.readUInt8(12)
  const contentBytes = bytes.readUInt16BE(14)
  const isLocal = versionAndCommand === 0x20
  if ((!isLocal && versionAndCommand !== 0x21) || contentBytes > contentMaxBytes) return invalid
  const length = headerV2Bytes + contentBytes
  if (bytes.length < length) return incomplete
  if (isLocal) return { kind: 'known', length, addresses: null }
  return readAddresses(bytes.readUInt8(13), bytes.subarray(headerV2Bytes, length), length)
}

/** The additional fields after the addresses are not ours to judge. */
function readAddresses(familyAndTransport: number, content: Buffer, length: number): ProxyHeaderState {
  switch (familyAndTransport) {
    case 0x11:
      return readBinary(content, 4, length)
    case 0x21:
      return readBinary(content, 6, length)
    case 0x00:
    case 0x31:
      return { kind: 'known', length, addresses: null }
    default:
      return invalid
  }
}

function readBinary(content: Buffer, version: 4 | 6, length: number): ProxyHeaderState {
  const bytes = version === 4 ? 4 : 16
  if (content.length < 2 * bytes + 4) return invalid
  const port = (at: number) => String(content.readUInt16BE(2 * bytes + at))
  const source = textOf(content.subarray(0, bytes))
  const destination = textOf(content.subarray(bytes, 2 * bytes))
  return known(length, version, [source, port(0)], [destination, port(2)])
}

function textOf(address: Buffer): string {
  return address.length === 4 ? address.join('.') : address.toString('hex').replaceAll(/(.{4})(?=.)/g, '$1:')
}
