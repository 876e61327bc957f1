import 'reflect-metadata'
import { generateKeyPairSync, type webcrypto } from 'node:crypto'
import { BasicConstraintsExtension, X509CertificateGenerator } from '@peculiar/x509'

const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' } as const

/** A self-signed certificate and its key as PEM, made for one test. */
export async function throwAwayCertificate(
  name: string,
  isAuthority: boolean,
): Promise<{ certificate: string; key: string }> {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = {
    privateKey: pair.privateKey.toCryptoKey(algorithm, true, ['sign']),
    publicKey: pair.publicKey.toCryptoKey(algorithm, true, ['verify']),
  } satisfies webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    name: [{ CN: [name] }],
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(isAuthority)],
  })
  return {
    certificate: certificate.toString('pem'),
    key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
