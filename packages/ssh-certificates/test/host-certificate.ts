import { randomBytes } from 'node:crypto'
import { type CertificateContent, certificateAuthority, formatCertificate, issueCertificate } from '../src/index.ts'
import { type KeyName, privateKeys, publicKeyNamed } from './keys.ts'

const plainHost: CertificateContent = {
  type: 'host',
  publicKey: publicKeyNamed('ed25519'),
  serial: 0n,
  keyId: 'shcrt_1',
  principals: ['a.example.com', '::1'],
  validAfter: 1_767_225_600n,
  validBefore: 1_798_761_600n,
  criticalOptions: {},
  extensions: {},
}

/** The line of a certificate for the year 2026, signed by the named authority. */
export function hostCertificate(authority: KeyName, changes: Partial<CertificateContent> = {}): string {
  const content = { ...plainHost, ...changes }
  const blob = issueCertificate(content, certificateAuthority(privateKeys[authority]), randomBytes(32))
  return formatCertificate(blob, content.keyId)
}
