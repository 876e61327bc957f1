import { isSignedBy, type PublicKeyText } from './keys.ts'
import { isKeyCertificate, isManifest, isSignedRelease, type KeyCertificate, type Manifest } from './manifest.ts'

export type ReleaseFault = 'malformed' | 'untrusted_key' | 'revoked_key' | 'wrong_signature' | 'expired'

/** A release that must not be used. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
  readonly fault: ReleaseFault

  constructor(fault: ReleaseFault, message: string) {
    super(message)
    this.fault = fault
  }
}

export interface TrustedKeys {
  readonly roots: readonly PublicKeyText[]
  /** Release keys that an earlier certificate has revoked. */
  readonly revokedKeyIds: readonly string[]
}

export interface VerifiedRelease {
  readonly manifest: Manifest
  /** Keys that are revoked from now on. */
  readonly revokes: readonly string[]
}

/**
 * Follows the signatures from a root key to the manifest.
 * @param nowMs null where the clock cannot be trusted: nothing is then refused for its age
 * @throws ReleaseError
 */
export function verifyRelease(json: unknown, trusted: TrustedKeys, nowMs: number | null): VerifiedRelease {
  if (!isSignedRelease(json)) throw new ReleaseError('malformed', 'not a signed release')
  const certificate = verifyKey(json.key, trusted, nowMs)
  if (!isSignedBy('release', json.manifest, json.signature, certificate.publicKey)) {
    throw new ReleaseError('wrong_signature', 'the manifest is not signed by its release key')
  }
  const manifest = parse(json.manifest, isManifest)
  if (isPast(manifest.expiresAt, nowMs))
    throw new ReleaseError('expired', `the release expired at ${manifest.expiresAt}`)
  return { manifest, revokes: certificate.revokes }
}

/** What a signed release says, whoever signed it; null when it is malformed. For those who only pass it on. */
export function readManifest(json: unknown): Manifest | null {
  const manifest = isSignedRelease(json) ? parseJson(json.manifest) : null
  return isManifest(manifest) ? manifest : null
}

function verifyKey(
  { certificate: text, signature }: { certificate: string; signature: string },
  { roots, revokedKeyIds }: TrustedKeys,
  nowMs: number | null,
): KeyCertificate {
  if (!roots.some((root) => isSignedBy('release-key', text, signature, root))) {
    throw new ReleaseError('untrusted_key', 'no root key of this agent vouches for the release key')
  }
  const certificate = parse(text, isKeyCertificate)
  const { keyId, expiresAt } = certificate
  if (revokedKeyIds.includes(keyId)) throw new ReleaseError('revoked_key', `the release key ${keyId} was revoked`)
  if (isPast(expiresAt, nowMs)) throw new ReleaseError('expired', `the release key ${keyId} expired at ${expiresAt}`)
  return certificate
}

function parse<T>(text: string, is: (value: unknown) => value is T): T {
  const value: unknown = parseJson(text)
  if (!is(value)) throw new ReleaseError('malformed', 'a signed text does not have the form of this version')
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isPast(time: string, nowMs: number | null): boolean {
  return nowMs !== null && Date.parse(time) <= nowMs
}
