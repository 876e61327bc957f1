import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import {
  certificateAuthority,
  decodeCertificate,
  formatCertificate,
  isSignedBy,
  issueCertificate,
  parsePublicKey,
} from '../src/index.ts'
import { type GoldenCase, authoritySeed, goldenCases } from './golden/cases.ts'
import { signWithOpenSsh, subjectFile } from './golden/sign-with-openssh.ts'
import { ed25519FromSeed } from './private-key-file.ts'
import { workDirectory } from './work-directory.ts'

const authority = certificateAuthority(ed25519FromSeed(authoritySeed))

function issueLike(golden: GoldenCase, fromOpenSsh: string): string {
  const publicKey = parsePublicKey(readFileSync(subjectFile(golden), 'utf8'))
  const { nonce } = decodeCertificate(fromOpenSsh)
  const comment = fromOpenSsh.trim().split(' ').slice(2).join(' ')
  return formatCertificate(issueCertificate({ ...golden.content, publicKey }, authority, nonce), comment)
}

describe.each(goldenCases)('$name', (golden) => {
  const stored = readFileSync(join(import.meta.dirname, 'golden', `${golden.name}-cert.pub`), 'utf8').trim()

  it('is byte for byte what ssh-keygen once made', () => {
    expect(issueLike(golden, stored)).toBe(stored)
  })

  it.skipIf(!hasOpenSsh)('is byte for byte what the installed ssh-keygen makes', async () => {
    await using directory = await workDirectory()
    const fresh = readFileSync(signWithOpenSsh(golden, directory), 'utf8').trim()
    expect(issueLike(golden, fresh)).toBe(fresh)
  })

  it('is read back with every field', () => {
    const decoded = decodeCertificate(stored)
    expect(decoded).toMatchObject(golden.content)
    expect(isSignedBy(decoded, authority.publicKey)).toBe(true)
  })
})
