import type { HeaderList } from '../headers/header-list.ts'
import { fieldLine } from './request-head.ts'

const joinedMaxBytes = 16_384
const lineEnd = Buffer.from('\r\n')

/** One chunk of a chunked body, as the pieces to write: small data is copied into one piece, large data is not. */
export function encodeChunk(data: Buffer): Buffer[] {
  const size = Buffer.from(`${data.length.toString(16)}\r\n`, 'latin1')
  return data.length <= joinedMaxBytes ? [Buffer.concat([size, data, lineEnd])] : [size, data, lineEnd]
}

/** The last chunk with the trailers. */
export function encodeLastChunk(trailers: HeaderList): Buffer {
  let lines = '0\r\n'
  for (let i = 0; i < trailers.length; i += 2) lines += fieldLine(trailers[i] ?? '', trailers[i + 1] ?? '')
  return Buffer.from(`${lines}\r\n`, 'latin1')
}
