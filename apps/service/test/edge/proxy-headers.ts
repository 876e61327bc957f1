import { SocketAddress } from 'node:net'

/** A header of PROXY protocol version 2 with any content. */
export function proxyHeaderV2(versionAndCommand: number, family: number, ...content: readonly Buffer[]): Buffer {
  const all = Buffer.concat(content)
  const head = Buffer.from([13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, versionAndCommand, family, 0, 0])
  head.writeUInt16BE(all.length, 14)
  return Buffer.concat([head, all])
}

/** IPv4 addresses and ports, from a visitor to us. */
export function tcp4(source: string, port: number): Buffer {
  return addresses(Buffer.from(source.split('.').map(Number)), Buffer.from([198, 51, 100, 1]), port)
}

export function tcp6(source: string, port: number): Buffer {
  return addresses(ipv6Bytes(source), ipv6Bytes('2001:db8::1'), port)
}

function addresses(source: Buffer, destination: Buffer, port: number): Buffer {
  const ports = Buffer.alloc(4)
  ports.writeUInt16BE(port, 0)
  ports.writeUInt16BE(443, 2)
  return Buffer.concat([source, destination, ports])
}

function ipv6Bytes(text: string): Buffer {
  const mapped = /^::ffff:(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  if (mapped !== null) return Buffer.from([...Array<number>(10).fill(0), 255, 255, ...mapped.slice(1).map(Number)])
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0')
  const hex = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0')).join('')
  return Buffer.from(hex, 'hex')
}
