import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { CelScalar, celFunc, celMethod } from '@bufbuild/cel'
import { charge } from '../budget.ts'
import { crc64 } from './crc64.ts'
import { xxhash64 } from './xxhash64.ts'

const { STRING } = CelScalar
/** Of the sum that is made of large integers; all others are cheaper than reading the text. */
const xxhashNanosecondsPerByte = 200

type Digest = (text: string) => Buffer

const digests: Record<string, Digest> = {
  md5: (text) => createHash('md5').update(text).digest(),
  sha1: (text) => createHash('sha1').update(text).digest(),
  sha256: (text) => createHash('sha256').update(text).digest(),
  sha512: (text) => createHash('sha512').update(text).digest(),
  crc32: (text) => {
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32BE(crc32(text))
    return checksum
  },
  crc64: (text) => crc64(Buffer.from(text)),
  xxhash64: (text) => {
    const bytes = Buffer.from(text)
    charge(bytes.length * xxhashNanosecondsPerByte)
    return xxhash64(bytes)
  },
}

function encoding(name: string): 'hex' | 'base64' {
  if (name === 'hex' || name === 'base64') return name
  throw new Error('the format of a hash is hex or base64')
}

/** `hash.sha256(text)`, `hash.sha256(text, 'base64')`, and the same as methods of a string. */
export const hashFunctions = Object.entries(digests).flatMap(([name, digest]) => [
  celFunc(`hash.${name}`, [STRING], STRING, (text) => digest(text).toString('hex')),
  celFunc(`hash.${name}`, [STRING, STRING], STRING, (text, format) => digest(text).toString(encoding(format))),
  celMethod(name, STRING, [], STRING, function () {
    return digest(this).toString('hex')
  }),
  celMethod(name, STRING, [STRING], STRING, function (format) {
    return digest(this).toString(encoding(format))
  }),
])
