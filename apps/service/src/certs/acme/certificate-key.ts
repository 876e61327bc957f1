import { KeyObject, webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } from '../x509.ts'

export type CertificateKeyType = 'rsa' | 'ecdsa'

export interface CertificateRequest {
  readonly privateKeyPem: string
  /** PKCS#10, DER. */
  readonly csr: Buffer
}

/** RSA with 2048 bits: 4096 would cost each handshake five times as much. */
const algorithms = {
  rsa: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) },
  ecdsa: { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' },
} as const

/** A new key and the request for a certificate over DNS names, without a common name. */
export async function requestCertificate(
  names: readonly string[],
  keyType: CertificateKeyType,
): Promise<CertificateRequest> {
  const signingAlgorithm = algorithms[keyType]
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const subjectNames = new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))
  const request = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm, extensions: [subjectNames] })
  return {
    privateKeyPem: KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
    csr: Buffer.from(request.rawData),
  }
}
