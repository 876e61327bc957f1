import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  certificateAuthority,
  decodeCertificate,
  formatCertificate,
  isSignedBy,
  issueCertificate,
} from '../src/index.ts'
import { certificateContents } from './arbitraries.ts'
import { hostCertificate } from './host-certificate.ts'
import { type KeyName, keyNames, privateKeys, publicKeyNamed } from './keys.ts'

function corrupt(line: string, position: number): string {
  const [name, base64 = ''] = line.split(' ')
  const blob = Buffer.from(base64, 'base64')
  const index = Math.floor(position * blob.length)
  blob[index] = blob[index]! ^ 1
  return `${name} ${blob.toString('base64')}`
}

function isTrusted(line: string, authority: KeyName): boolean {
  try {
    return isSignedBy(decodeCertificate(line), publicKeyNamed(authority))
  } catch {
    return false
  }
}

it('gives back every field that it was made from', () => {
  const authority = certificateAuthority(privateKeys.ed25519)
  const nonces = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(certificateContents, nonces, (expected, nonce) => {
      const decoded = decodeCertificate(formatCertificate(issueCertificate(expected, authority, nonce), 'c'))
      expect(decoded).toMatchObject({ ...expected, nonce })
      expect(isSignedBy(decoded, authority.publicKey)).toBe(true)
    }),
    { numRuns: 300 },
  )
})

describe.each(keyNames)('a certificate by an authority of type %s', (name) => {
  it('is trusted as it is', () => {
    expect(isTrusted(hostCertificate(name), name)).toBe(true)
  })

  it('is not trusted with any byte changed', () => {
    const line = hostCertificate(name)
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (position) => {
        expect(isTrusted(corrupt(line, position), name)).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  it('is not trusted under another authority', () => {
    const other = name === 'ed25519' ? 'ecdsa p256' : 'ed25519'
    expect(isTrusted(hostCertificate(name), other)).toBe(false)
  })
})

it('refuses what OpenSSH could not load', () => {
  const hosts = Array.from({ length: 257 }, (_, index) => `h${index}`)
  expect(() => hostCertificate('ed25519', { principals: hosts })).toThrow(RangeError)
  expect(() => hostCertificate('ed25519', { principals: ['a\0b'] })).toThrow(RangeError)
  expect(() => hostCertificate('ed25519', { criticalOptions: { 'force-command': 'a\0b' } })).toThrow(RangeError)
  expect(() => hostCertificate('ed25519', { validAfter: 1n, validBefore: 1n })).toThrow(RangeError)
})

it('never trusts other bytes, and fails on them with one of two errors', () => {
  const line = hostCertificate('ecdsa p521', { criticalOptions: { 'force-command': 'x' } })
  const [name = '', base64 = ''] = line.split(' ')
  const blob = Buffer.from(base64, 'base64')
  const cuts = fc.integer({ min: 0, max: blob.length - 1 })
  fc.assert(
    fc.property(cuts, fc.uint8Array({ maxLength: 40 }), (cut, tail) => {
      const broken = Buffer.concat([blob.subarray(0, cut), tail])
      fc.pre(!broken.equals(blob))
      expect(trustOrError(`${name} ${broken.toString('base64')}`)).toMatch(/^(false|WireError|PublicKeyError)$/)
    }),
    { numRuns: 500 },
  )
})

function trustOrError(line: string): string {
  try {
    return String(isSignedBy(decodeCertificate(line), publicKeyNamed('ecdsa p521')))
  } catch (error) {
    return (error as Error).name
  }
}
