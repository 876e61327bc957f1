import { parseCertificate, parseKey } from 'sshpk'
import { describe, expect, it } from 'vitest'
import { algorithms, formatPublicKey, parsePublicKey } from '../src/index.ts'
import { hostCertificate } from './host-certificate.ts'
import { keyNames, publicKeyNamed } from './keys.ts'

describe.each(keyNames)('sshpk, as a second reader, agrees about %s', (name) => {
  it('what kind of key it is', () => {
    const line = formatPublicKey(publicKeyNamed(name))
    const key = parseKey(line, 'ssh')
    expect(key.type).toBe(algorithms[parsePublicKey(line).algorithm].keyType)
    expect(key.toBuffer('rfc4253')).toEqual(publicKeyNamed(name).blob)
  })

  it('what a certificate of it says', () => {
    const line = hostCertificate('ed25519', { publicKey: publicKeyNamed(name), principals: ['a.test'] })
    const certificate = parseCertificate(line, 'openssh')
    expect(certificate.subjects.map((subject) => subject.hostname)).toEqual(['a.test'])
    expect(certificate.validFrom).toEqual(new Date('2026-01-01T00:00:00Z'))
    expect(certificate.validUntil).toEqual(new Date('2027-01-01T00:00:00Z'))
    expect(certificate.subjectKey.toBuffer('rfc4253')).toEqual(publicKeyNamed(name).blob)
  })
})
