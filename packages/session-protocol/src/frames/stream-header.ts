import { ProtocolError } from '../protocol-error.ts'
import type { StreamHeader } from '../stream/mux-stream.ts'

const TEXT_MAX_BYTES = 64
const PRINTABLE = /^[!-~]*$/

/** Payload of an OPEN frame (docs/protocol.md, section 3). Throws RangeError when a field breaks its bound. */
export function encodeStreamHeader(header: StreamHeader): Buffer {
  const { bindId, visitorAddress } = header
  for (const text of [bindId, visitorAddress]) {
    if (text.length > TEXT_MAX_BYTES || !PRINTABLE.test(text)) throw new RangeError('stream header field out of bounds')
  }
  const bytes = Buffer.allocUnsafe(3 + bindId.length + visitorAddress.length)
  bytes[0] = header.kind === 'http' ? 1 : 2
  bytes[1] = bindId.length
  bytes.write(bindId, 2, 'latin1')
  bytes[2 + bindId.length] = visitorAddress.length
  bytes.write(visitorAddress, 3 + bindId.length, 'latin1')
  return bytes
}

export function decodeStreamHeader(bytes: Buffer): StreamHeader {
  const bindIdEnd = 2 + (bytes[1] ?? 0)
  const addressEnd = bindIdEnd + 1 + (bytes[bindIdEnd] ?? 0)
  if (bytes.length < 3 || bytes.length !== addressEnd) throw new ProtocolError('malformed stream header')
  const bindId = textOf(bytes, 2, bindIdEnd)
  if (bindId === '') throw new ProtocolError('stream header without bind id')
  return { kind: kindOf(bytes[0]), bindId, visitorAddress: textOf(bytes, bindIdEnd + 1, addressEnd) }
}

function kindOf(n: number | undefined): StreamHeader['kind'] {
  if (n === 1) return 'http'
  if (n === 2) return 'raw'
  throw new ProtocolError('unknown stream kind')
}

function textOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end)
  if (text.length > TEXT_MAX_BYTES || !PRINTABLE.test(text)) throw new ProtocolError('stream header text out of bounds')
  return text
}
