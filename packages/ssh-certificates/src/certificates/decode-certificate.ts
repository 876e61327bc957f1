import { type AlgorithmName, algorithmOfCertificate } from '../keys/algorithms.ts'
import { readKeyFields } from '../keys/key-fields.ts'
import { type SshPublicKey, readPublicKey } from '../keys/public-key.ts'
import { WireError, WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'
import { type CertificateContent, type CertificateType, certificateTypeNumbers } from './certificate-content.ts'
import { unpackOptions } from './option-list.ts'
import { isSignatureValid } from './signature.ts'

export interface DecodedCertificate extends CertificateContent {
  readonly nonce: Buffer
  /** The key that the certificate says it was signed with; believe it only after `isSignedBy`. */
  readonly authority: SshPublicKey
  readonly signature: Buffer
  readonly signedBytes: Buffer
}

/** Reads the line of a `-cert.pub` file. Throws `WireError` or `PublicKeyError`; does not check the signature. */
export function decodeCertificate(line: string): DecodedCertificate {
  const [name = '', base64 = ''] = line.trim().split(/[ \t]+/)
  const blob = Buffer.from(base64, 'base64')
  const algorithm = algorithmOfCertificate(name)
  if (!algorithm || blob.toString('base64') !== base64) throw new WireError('not a certificate line')
  const reader = new WireReader(blob)
  if (reader.text() !== name) throw new WireError('the blob is of another type than its line says')
  return readFields(reader, blob, algorithm)
}

/** Whether `authority` made the signature over exactly these bytes. */
export function isSignedBy(certificate: DecodedCertificate, authority: SshPublicKey): boolean {
  const isNamed = certificate.authority.blob.equals(authority.blob)
  return isNamed && isSignatureValid(certificate.signedBytes, certificate.signature, authority)
}

function readFields(reader: WireReader, blob: Buffer, algorithm: AlgorithmName): DecodedCertificate {
  // The properties are read in the order in which the fields follow each other on the wire.
  const fields = {
    nonce: reader.string(),
    publicKey: readSubject(reader, blob, algorithm),
    serial: reader.uint64(),
    type: readType(reader.uint32()),
    keyId: reader.text(),
    principals: readPrincipals(reader.string()),
    validAfter: reader.uint64(),
    validBefore: reader.uint64(),
    criticalOptions: unpackOptions(reader.string()),
    extensions: unpackOptions(reader.string()),
    reserved: reader.string(),
    authority: readPublicKey(reader.string()),
  }
  const { reserved: _, ...content } = fields
  const signedBytes = blob.subarray(0, reader.position)
  const signature = reader.string()
  reader.end()
  return { ...content, signature, signedBytes }
}

function readSubject(reader: WireReader, blob: Buffer, algorithm: AlgorithmName): SshPublicKey {
  const start = reader.position
  readKeyFields(reader, algorithm)
  const fields = blob.subarray(start, reader.position)
  return { algorithm, blob: new WireWriter().string(algorithm).raw(fields).toBuffer() }
}

function readType(number: number): CertificateType {
  if (number === certificateTypeNumbers.user) return 'user'
  if (number === certificateTypeNumbers.host) return 'host'
  throw new WireError('neither a user nor a host certificate')
}

function readPrincipals(packed: Buffer): string[] {
  const reader = new WireReader(packed)
  const principals: string[] = []
  while (!reader.isAtEnd) principals.push(reader.text())
  return principals
}
