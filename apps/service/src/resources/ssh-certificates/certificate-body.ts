import { randomBytes } from 'node:crypto'
import { type CreateOf, ServiceError, type SshHostCertificate, type sshHostCertificateModel } from '@tunnel/models'
import {
  type CertificateAuthority,
  type CertificateOptions,
  type CertificateType,
  PublicKeyError,
  type SshPublicKey,
  algorithms,
  formatCertificate,
  issueCertificate,
  parsePublicKey,
} from '@tunnel/ssh-certificates'
import type { Validity } from './validity.ts'

const nonceBytes = 32

/** What host and user certificates have in common: stored, and shown as it is. */
export type SshCertificateBody = Omit<SshHostCertificate, 'id' | 'uri' | 'created_at'>

/** One certificate to sign. */
export interface CertificateOrder {
  readonly type: CertificateType
  /** Also the key id in the certificate, by which it can be revoked. */
  readonly id: string
  readonly input: Pick<
    CreateOf<typeof sshHostCertificateModel>,
    'description' | 'metadata' | 'public_key' | 'ssh_certificate_authority_id'
  >
  readonly principals: readonly string[]
  /** What the certificate holds instead of an empty list. */
  readonly signedPrincipals?: readonly string[]
  readonly validity: Validity
  readonly criticalOptions?: CertificateOptions
  readonly extensions?: CertificateOptions
}

/** Signs a certificate for a public key. Throws for a text that is not one plain public key. */
export function signCertificate(order: CertificateOrder, authority: CertificateAuthority): SshCertificateBody {
  const { type, id, input, validity, principals, signedPrincipals, criticalOptions = {}, extensions = {} } = order
  const publicKey = readPublicKey(input.public_key)
  const content = { type, publicKey, serial: 0n, keyId: id, principals: signedPrincipals ?? principals }
  const times = { validAfter: seconds(validity.valid_after), validBefore: seconds(validity.valid_until) }
  const blob = issueCertificate(
    { ...content, ...times, criticalOptions, extensions },
    authority,
    randomBytes(nonceBytes),
  )
  const { keyType } = algorithms[publicKey.algorithm]
  const certificate = formatCertificate(blob, id)
  return { ...input, key_type: keyType, principals: [...principals], ...validity, certificate }
}

function readPublicKey(text: string): SshPublicKey {
  try {
    return parsePublicKey(text)
  } catch (error) {
    throw error instanceof PublicKeyError ? publicKeyRefused(error) : error
  }
}

/** Names the mistake and never repeats the text, which may be a private key. */
function publicKeyRefused({ kind, mistake, message: problem }: PublicKeyError): ServiceError {
  const options = { details: { field: 'public_key', mistake } }
  switch (kind) {
    case 'missing':
      return new ServiceError('ssh_public_key_missing', {}, options)
    case 'unparsable':
      return new ServiceError('ssh_public_key_unparsable', { problem }, options)
    case 'unsupported':
      return new ServiceError('ssh_public_key_unsupported', { problem }, options)
  }
}

function seconds(wireTime: string): bigint {
  return BigInt(Date.parse(wireTime) / 1000)
}
