import { type KeyObject, sign, verify } from 'node:crypto'
import { type AlgorithmName, curveOf } from '../keys/algorithms.ts'
import { type SshPublicKey, toKeyObject } from '../keys/public-key.ts'
import { WireError, WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

/**
 * A signature as the last field of a certificate holds it. RSA keys sign with SHA-512 (RFC 8332), because OpenSSH
 * refuses SHA-1, although the key itself goes on being called `ssh-rsa`.
 */
export function signBytes(bytes: Buffer, privateKey: KeyObject, algorithm: AlgorithmName): Buffer {
  const curve = curveOf(algorithm)
  if (curve) {
    const halves = sign(curve.hash, bytes, { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return named(algorithm, packHalves(halves))
  }
  if (algorithm === 'ssh-rsa') return named('rsa-sha2-512', sign('sha512', bytes, privateKey))
  return named(algorithm, sign(null, bytes, privateKey))
}

/** Whether `signature` over `bytes` was made by `key`; false for SHA-1 and for anything malformed. */
export function isSignatureValid(bytes: Buffer, signature: Buffer, key: SshPublicKey): boolean {
  try {
    return isValid(bytes, signature, key)
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

function isValid(bytes: Buffer, signature: Buffer, key: SshPublicKey): boolean {
  const reader = new WireReader(signature)
  const name = reader.text()
  const value = reader.string()
  reader.end()
  if (key.algorithm === 'ssh-rsa') return isRsaSignature(name, bytes, value, key)
  if (name !== key.algorithm) return false
  const curve = curveOf(key.algorithm)
  if (!curve) return verify(null, bytes, toKeyObject(key), value)
  const halves = unpackHalves(value, curve.coordinateBytes)
  return verify(curve.hash, bytes, { key: toKeyObject(key), dsaEncoding: 'ieee-p1363' }, halves)
}

function isRsaSignature(name: string, bytes: Buffer, value: Buffer, key: SshPublicKey): boolean {
  if (name === 'rsa-sha2-512') return verify('sha512', bytes, toKeyObject(key), value)
  return name === 'rsa-sha2-256' && verify('sha256', bytes, toKeyObject(key), value)
}

function named(name: string, value: Buffer): Buffer {
  return new WireWriter().string(name).string(value).toBuffer()
}

/** r and s of equal length become two mpints (RFC 5656, section 3.1.2). */
function packHalves(halves: Buffer): Buffer {
  const middle = halves.length / 2
  return new WireWriter().mpint(halves.subarray(0, middle)).mpint(halves.subarray(middle)).toBuffer()
}

function unpackHalves(packed: Buffer, coordinateBytes: number): Buffer {
  const reader = new WireReader(packed)
  const halves = Buffer.alloc(2 * coordinateBytes)
  for (const end of [coordinateBytes, 2 * coordinateBytes]) {
    const half = reader.positiveMpint()
    if (!half || half.length > coordinateBytes) throw new WireError('not half of a signature')
    half.copy(halves, end - half.length)
  }
  reader.end()
  return halves
}
