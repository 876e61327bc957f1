import { createPrivateKey, KeyObject, randomBytes, webcrypto } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '../x509.ts'

/** A private key and its certificate chain, as PEM. */
export interface KeyAndCertificate {
  readonly key: string
  readonly cert: string
}

export interface Validity {
  readonly notBefore: Date
  readonly notAfter: Date
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
/** RFC 5280 A.1; the whole name is in the subject alternative name. */
const commonNameMaxLength = 64
const rootName = 'CN=Tunnel service local CA'
/** Fixed, so that a wrong clock at the first start does not spoil the root for later. */
const rootValidity: Validity = { notBefore: new Date('2025-01-01'), notAfter: new Date('2049-12-31') }

/** A certificate authority of our own, for names that no public one has certified yet. */
export class RootAuthority {
  readonly #key: webcrypto.CryptoKey
  readonly #certificate: X509Certificate

  private constructor(key: webcrypto.CryptoKey, certificate: X509Certificate) {
    this.#key = key
    this.#certificate = certificate
  }

  static async create(): Promise<KeyAndCertificate> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const certificate = await X509CertificateGenerator.createSelfSigned({
      serialNumber: freshSerialNumber(),
      name: rootName,
      ...rootValidity,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    })
    return { key: pemOf(keys.privateKey), cert: certificate.toString('pem') }
  }

  static open({ key, cert }: KeyAndCertificate): RootAuthority {
    const privateKey = createPrivateKey(key).toCryptoKey(algorithm, false, ['sign'])
    return new RootAuthority(privateKey, new X509Certificate(cert))
  }

  /** A certificate for servers of these names, with a key of its own. */
  async issue(names: readonly string[], validity: Validity): Promise<KeyAndCertificate> {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    const certificate = await X509CertificateGenerator.create({
      serialNumber: freshSerialNumber(),
      subject: `CN=${names[0]?.slice(0, commonNameMaxLength)}`,
      issuer: this.#certificate.subject,
      ...validity,
      publicKey: keys.publicKey,
      signingKey: this.#key,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
        await AuthorityKeyIdentifierExtension.create(this.#certificate),
      ],
    })
    return { key: pemOf(keys.privateKey), cert: certificate.toString('pem') }
  }
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** 127 bits: positive, as RFC 5280 4.1.2.2 asks. */
function freshSerialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}
