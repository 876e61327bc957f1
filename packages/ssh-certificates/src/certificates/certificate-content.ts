import type { SshPublicKey } from '../keys/public-key.ts'

/** OpenSSH cannot load a certificate that names more. */
export const certificatePrincipalsMax = 256

export type CertificateType = 'user' | 'host'

/** The number that stands for a type in the blob. */
export const certificateTypeNumbers: Readonly<Record<CertificateType, number>> = { user: 1, host: 2 }

/** Names with their text; an empty text makes a flag. */
export type CertificateOptions = Readonly<Record<string, string>>

/** What an authority vouches for. Times are seconds since 1970; a certificate is valid in [validAfter, validBefore). */
export interface CertificateContent {
  readonly type: CertificateType
  readonly publicKey: SshPublicKey
  readonly serial: bigint
  readonly keyId: string
  readonly principals: readonly string[]
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly criticalOptions: CertificateOptions
  readonly extensions: CertificateOptions
}
