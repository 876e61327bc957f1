import { type KeyObject, createPublicKey } from 'node:crypto'
import { WireError, WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { type AlgorithmName, algorithmOfCurve, curveOf, isAlgorithmName } from './algorithms.ts'
import { readKeyFields } from './key-fields.ts'
import { PublicKeyError } from './public-key-error.ts'

/** A public key that passed every check; `blob` is the type name and the fields of RFC 4253, section 6.6. */
export interface SshPublicKey {
  readonly algorithm: AlgorithmName
  readonly blob: Buffer
}

/** Reads a whole blob. Throws `PublicKeyError`. */
export function readPublicKey(blob: Buffer): SshPublicKey {
  const algorithm = readWhole(blob, (reader, name) => {
    readKeyFields(reader, name)
    return name
  })
  return { algorithm, blob }
}

export function publicKeyOf(key: KeyObject): SshPublicKey {
  const jwk = key.export({ format: 'jwk' })
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return build('ssh-ed25519', (blob) => blob.string(bytes(jwk.x)))
  if (jwk.kty === 'RSA') return build('ssh-rsa', (blob) => blob.mpint(bytes(jwk.e)).mpint(bytes(jwk.n)))
  const algorithm = algorithmOfCurve(jwk.crv)
  const curve = algorithm && curveOf(algorithm)
  if (!curve) throw new PublicKeyError('unknown_type')
  const point = Buffer.concat([Buffer.of(4), bytes(jwk.x), bytes(jwk.y)])
  return build(algorithm, (blob) => blob.string(curve.sshName).string(point))
}

export function toKeyObject(key: SshPublicKey): KeyObject {
  return createPublicKey({ key: readWhole(key.blob, readKeyFields), format: 'jwk' })
}

/** One line without a comment, as in an `authorized_keys` file. */
export function formatPublicKey(key: SshPublicKey): string {
  return `${key.algorithm} ${key.blob.toString('base64')}`
}

function readWhole<T>(blob: Buffer, readFields: (reader: WireReader, algorithm: AlgorithmName) => T): T {
  const reader = new WireReader(blob)
  const algorithm = orTruncated(() => reader.text())
  if (!isAlgorithmName(algorithm)) throw new PublicKeyError('unknown_type')
  const fields = orTruncated(() => readFields(reader, algorithm))
  if (!reader.isAtEnd) throw new PublicKeyError('trailing_bytes')
  return fields
}

function orTruncated<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof WireError ? new PublicKeyError('truncated') : error
  }
}

function build(algorithm: AlgorithmName, writeFields: (blob: WireWriter) => WireWriter): SshPublicKey {
  return { algorithm, blob: writeFields(new WireWriter().string(algorithm)).toBuffer() }
}

function bytes(base64url: string | undefined): Buffer {
  return Buffer.from(base64url ?? '', 'base64url')
}
