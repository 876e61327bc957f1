import { keyIdOf, type PublicKeyText, signText } from './keys.ts'
import type { KeyCertificate, Manifest, SignedRelease } from './manifest.ts'

/** A release key with the word of a root key for it. */
export type CertifiedKey = SignedRelease['key']

/** Done with the root key, offline and seldom. */
export function certifyReleaseKey(
  publicKey: PublicKeyText,
  terms: Pick<KeyCertificate, 'expiresAt' | 'revokes'>,
  rootPem: string,
): CertifiedKey {
  const content: KeyCertificate = { schema: 1, keyId: keyIdOf(publicKey), publicKey, ...terms }
  const certificate = JSON.stringify(content)
  return { certificate, signature: signText('release-key', certificate, rootPem) }
}

/** Done with the release key, for every release. */
export function signRelease(content: Manifest, key: CertifiedKey, releasePem: string): SignedRelease {
  const manifest = JSON.stringify(content)
  return { manifest, signature: signText('release', manifest, releasePem), key }
}
