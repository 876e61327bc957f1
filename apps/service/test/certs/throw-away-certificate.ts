import { generateKeyPairSync, type KeyObject, type webcrypto } from 'node:crypto'
import type { KeyAndChain } from '../../src/certs/serving/context-cache.ts'
import { SubjectAlternativeNameExtension, X509CertificateGenerator } from '../../src/certs/x509.ts'

const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' } as const

/** A self-signed certificate over these names; one key for all that are made with `sharedKey`. */
export async function throwAwayCertificate(
  names: readonly string[],
  key = generateKeyPairSync('ec', { namedCurve: 'P-256' }),
): Promise<KeyAndChain> {
  const usable = (object: KeyObject, usage: 'sign' | 'verify') => object.toCryptoKey(algorithm, true, [usage])
  const keys = {
    privateKey: usable(key.privateKey, 'sign'),
    publicKey: usable(key.publicKey, 'verify'),
  } satisfies webcrypto.CryptoKeyPair
  const certificate = await X509CertificateGenerator.createSelfSigned({
    keys,
    signingAlgorithm: algorithm,
    extensions: [new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))],
  })
  return {
    chainPem: certificate.toString('pem'),
    privateKeyPem: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
