import { execFileSync } from 'node:child_process'
import { createSecureContext } from 'node:tls'
import type { CertificateSource } from '../../src/edge/certificate-source.ts'

const subject = ['-subj', '/CN=app.test', '-addext', 'subjectAltName=DNS:app.test,DNS:*.test']
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const pem = execFileSync('openssl', ['req', '-x509', ...newKey, '-keyout', '-', '-days', '2', ...subject]).toString()

/** One self-signed certificate for everything. */
export function fixedCertificate(): CertificateSource {
  const context = createSecureContext({ key: pem, cert: pem })
  return { fallback: () => ({ key: pem, cert: pem }), contextFor: () => context, covers: () => true }
}
