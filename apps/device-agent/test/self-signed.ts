import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509'

const dayMs = 86_400_000

/** A certificate for `name` and localhost that is its own authority, valid between two days counted from now. */
export async function selfSigned(
  name: string,
  days: { from: number; to: number },
): Promise<{ key: string; cert: string }> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const names = [name, 'localhost'].map((value) => ({ type: 'dns' as const, value }))
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() + days.from * dayMs),
    notAfter: new Date(Date.now() + days.to * dayMs),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    keys,
    extensions: [new SubjectAlternativeNameExtension(names), new BasicConstraintsExtension(true)],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return {
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    cert: certificate.toString('pem'),
  }
}
