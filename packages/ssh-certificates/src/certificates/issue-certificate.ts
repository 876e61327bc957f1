import type { KeyObject } from 'node:crypto'
import { algorithms } from '../keys/algorithms.ts'
import { type SshPublicKey, publicKeyOf } from '../keys/public-key.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { type CertificateContent, certificatePrincipalsMax, certificateTypeNumbers } from './certificate-content.ts'
import { packOptions } from './option-list.ts'
import { signBytes } from './signature.ts'

/** A private key ready to sign, with the public half that every certificate names. */
export interface CertificateAuthority {
  readonly publicKey: SshPublicKey
  readonly privateKey: KeyObject
}

/** Throws `PublicKeyError` for a key that is not Ed25519, RSA or on a NIST curve. */
export function certificateAuthority(privateKey: KeyObject): CertificateAuthority {
  return { publicKey: publicKeyOf(privateKey), privateKey }
}

/**
 * Signs one certificate (PROTOCOL.certkeys of OpenSSH) and returns its blob. `nonce` is 32 random bytes.
 * Throws `RangeError` for content that OpenSSH could not load.
 */
export function issueCertificate(content: CertificateContent, authority: CertificateAuthority, nonce: Buffer): Buffer {
  refuseUnloadable(content)
  const unsigned = unsignedCertificate(content, authority.publicKey, nonce)
  const signature = signBytes(unsigned, authority.privateKey, authority.publicKey.algorithm)
  return Buffer.concat([unsigned, new WireWriter().string(signature).toBuffer()])
}

/** One line for a `-cert.pub` file. */
export function formatCertificate(blob: Buffer, comment: string): string {
  return `${new WireReader(blob).text()} ${blob.toString('base64')} ${comment}`
}

function unsignedCertificate(content: CertificateContent, authority: SshPublicKey, nonce: Buffer): Buffer {
  return new WireWriter()
    .string(algorithms[content.publicKey.algorithm].certificateName)
    .string(nonce)
    .raw(fieldsOf(content.publicKey))
    .uint64(content.serial)
    .uint32(certificateTypeNumbers[content.type])
    .string(content.keyId)
    .string(packPrincipals(content.principals))
    .uint64(content.validAfter)
    .uint64(content.validBefore)
    .string(packOptions(content.criticalOptions))
    .string(packOptions(content.extensions))
    .string('')
    .string(authority.blob)
    .toBuffer()
}

/** The key's own fields, which follow its type name. */
function fieldsOf(key: SshPublicKey): Buffer {
  return key.blob.subarray(4 + key.algorithm.length)
}

function packPrincipals(principals: readonly string[]): Buffer {
  const packed = new WireWriter()
  for (const principal of principals) packed.string(principal)
  return packed.toBuffer()
}

function refuseUnloadable(content: CertificateContent): void {
  const options = [content.criticalOptions, content.extensions].flatMap((map) => Object.entries(map).flat())
  const texts = [content.keyId, ...content.principals, ...options]
  if (texts.some((text) => text.includes('\0'))) throw new RangeError('a text of a certificate contains NUL')
  if (content.principals.length > certificatePrincipalsMax) throw new RangeError('too many principals')
  if (content.validAfter >= content.validBefore) throw new RangeError('a certificate must be valid for some time')
}
