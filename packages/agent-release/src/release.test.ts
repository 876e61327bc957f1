import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateSigningKey, keyIdOf } from './keys.ts'
import type { Manifest, SignedRelease } from './manifest.ts'
import { certifyReleaseKey, signRelease } from './sign.ts'
import { ReleaseError, verifyRelease } from './verify.ts'
import { compareVersions, parseVersion } from './version.ts'

const nowMs = Date.parse('2026-06-01T00:00:00Z')
const root = generateSigningKey()
const releaseKey = generateSigningKey()
const certified = certifyReleaseKey(
  releaseKey.publicKey,
  { expiresAt: '2027-01-01T00:00:00Z', revokes: [] },
  root.privatePem,
)
const manifest: Manifest = {
  schema: 1,
  product: 'tunnel-agent',
  version: '1.2.3',
  channel: 'stable',
  minAgent: '1.0.0',
  minNode: '20.18.0',
  sha256: 'a'.repeat(64),
  sizeBytes: 1000,
  createdAt: '2026-05-01T00:00:00Z',
  expiresAt: '2026-12-01T00:00:00Z',
  allowDowngrade: false,
}
const release = signRelease(manifest, certified, releaseKey.privatePem)
const trusted = { roots: [root.publicKey], revokedKeyIds: [] }

function faultOf(json: unknown, keys = trusted as Parameters<typeof verifyRelease>[1], atMs: number | null = nowMs) {
  try {
    verifyRelease(json, keys, atMs)
    return null
  } catch (error) {
    return error instanceof ReleaseError ? error.fault : error
  }
}

describe('a signed release', () => {
  it('is taken when every signature leads up to a root key', () => {
    expect(verifyRelease(release, trusted, nowMs)).toEqual({ manifest, revokes: [] })
  })

  it('is refused when one byte of a signed text differs', () => {
    fc.assert(
      fc.property(fc.nat({ max: release.manifest.length - 1 }), fc.boolean(), (at, isCertificate) => {
        const flip = (text: string): string => text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1)
        const forged: SignedRelease = isCertificate
          ? { ...release, key: { ...release.key, certificate: flip(release.key.certificate) } }
          : { ...release, manifest: flip(release.manifest) }
        expect(faultOf(forged)).toMatch(isCertificate ? /untrusted_key|malformed/ : 'wrong_signature')
      }),
    )
  })

  it('is refused when its key is vouched for by another root, by itself, or by none', () => {
    const stranger = generateSigningKey()
    expect(faultOf(release, { ...trusted, roots: [stranger.publicKey] })).toBe('untrusted_key')
    expect(faultOf(release, { ...trusted, roots: [] })).toBe('untrusted_key')
    const selfMade = certifyReleaseKey(
      stranger.publicKey,
      { expiresAt: '2030-01-01T00:00:00Z', revokes: [] },
      stranger.privatePem,
    )
    expect(faultOf(signRelease(manifest, selfMade, stranger.privatePem))).toBe('untrusted_key')
  })

  it('does not take the signature of one purpose for the other', () => {
    const asKey = { certificate: release.manifest, signature: release.signature }
    expect(faultOf({ ...release, key: asKey }, { ...trusted, roots: [releaseKey.publicKey] })).toBe('untrusted_key')
  })

  it('is refused when its key was revoked, and tells which keys it revokes', () => {
    const keyId = keyIdOf(releaseKey.publicKey)
    expect(faultOf(release, { ...trusted, revokedKeyIds: [keyId] })).toBe('revoked_key')
    const next = generateSigningKey()
    const revoking = certifyReleaseKey(
      next.publicKey,
      { expiresAt: '2027-01-01T00:00:00Z', revokes: [keyId] },
      root.privatePem,
    )
    expect(verifyRelease(signRelease(manifest, revoking, next.privatePem), trusted, nowMs).revokes).toEqual([keyId])
  })

  it('is refused after its end or that of its key, but not where the clock cannot be trusted', () => {
    expect(faultOf(release, trusted, Date.parse('2026-12-01T00:00:00Z'))).toBe('expired')
    expect(faultOf(release, trusted, null)).toBeNull()
  })

  it.each([
    ['another product', { product: 'other' }],
    ['a version that is none', { version: '1.2' }],
    ['too large', { sizeBytes: 100_000_000 }],
    ['an unknown field', { extra: true }],
  ])('is refused as malformed: %s', (_, change) => {
    const odd = { ...manifest, ...change } as Manifest
    expect(faultOf(signRelease(odd, certified, releaseKey.privatePem))).toBe('malformed')
  })

  it('is refused as malformed whatever else it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(faultOf(json)).toBe('malformed')
      }),
    )
  })
})

describe('versions', () => {
  const part = fc.nat({ max: 999_999 })
  const version = fc.tuple(part, part, part).map((parts) => parts.join('.'))

  it('are ordered by major, minor and patch', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(compareVersions(a, b) + compareVersions(b, a)).toBe(0)
        expect(compareVersions(a, b) === 0).toBe(a === b)
      }),
    )
    expect(['1.10.0', '1.9.9', '0.99.0', '1.9.10'].sort(compareVersions)).toEqual([
      '0.99.0',
      '1.9.9',
      '1.9.10',
      '1.10.0',
    ])
  })

  it.each(['1', '1.2', '1.2.3-rc', 'v1.2.3', '1.2.3.4', ' 1.2.3', '1.2.1234567'])('"%s" is none', (text) => {
    expect(parseVersion(text)).toBeNull()
  })
})
