import { type JsonWebKey, createPublicKey } from 'node:crypto'
import type { WireReader } from '../wire/reader.ts'
import type { AlgorithmName, Curve } from './algorithms.ts'
import { algorithms, curveOf } from './algorithms.ts'
import { PublicKeyError } from './public-key-error.ts'

const rsaMinBits = 2048
const rsaMaxBits = 16_384
const ed25519Bytes = 32
const uncompressedPoint = 4

/**
 * Reads the fields that follow the type name in a public key blob (RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709, 4).
 * Stricter than many readers: odd RSA numbers of an allowed size, whole Ed25519 keys, points that lie on their curve.
 */
export function readKeyFields(reader: WireReader, algorithm: AlgorithmName): JsonWebKey {
  const curve = curveOf(algorithm)
  if (curve) return readPoint(reader, curve)
  return algorithms[algorithm].keyType === 'rsa' ? readRsa(reader) : readEd25519(reader)
}

function readEd25519(reader: WireReader): JsonWebKey {
  const point = reader.string()
  if (point.length !== ed25519Bytes) throw new PublicKeyError('ed25519_length')
  return { kty: 'OKP', crv: 'Ed25519', x: point.toString('base64url') }
}

function readRsa(reader: WireReader): JsonWebKey {
  const exponent = readOddNumber(reader)
  const modulus = readOddNumber(reader)
  const bits = bitLength(modulus)
  if (bitLength(exponent) < 2 || exponent.length >= modulus.length) throw new PublicKeyError('rsa_number')
  if (bits < rsaMinBits) throw new PublicKeyError('rsa_too_small')
  if (bits > rsaMaxBits) throw new PublicKeyError('rsa_too_large')
  return { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
}

function readOddNumber(reader: WireReader): Buffer {
  const number = reader.positiveMpint()
  if (!number || (number.at(-1) ?? 0) % 2 === 0) throw new PublicKeyError('rsa_number')
  return number
}

function bitLength(number: Buffer): number {
  const [first = 0] = number
  return number.length * 8 - Math.clz32(first) + 24
}

function readPoint(reader: WireReader, curve: Curve): JsonWebKey {
  if (reader.text() !== curve.sshName) throw new PublicKeyError('curve_mismatch')
  const point = reader.string()
  if (point[0] !== uncompressedPoint || point.length !== 1 + 2 * curve.coordinateBytes) {
    throw new PublicKeyError('point_format')
  }
  const x = point.subarray(1, 1 + curve.coordinateBytes).toString('base64url')
  const y = point.subarray(1 + curve.coordinateBytes).toString('base64url')
  const jwk = { kty: 'EC', crv: curve.jwkName, x, y }
  if (!isOnCurve(jwk)) throw new PublicKeyError('point_off_curve')
  return jwk
}

function isOnCurve(jwk: JsonWebKey): boolean {
  try {
    createPublicKey({ key: jwk, format: 'jwk' })
    return true
  } catch {
    return false
  }
}
