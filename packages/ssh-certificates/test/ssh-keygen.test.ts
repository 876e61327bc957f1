import { describe, expect, it } from 'vitest'
import { formatPublicKey } from '../src/index.ts'
import { hostCertificate } from './host-certificate.ts'
import { type KeyName, keyNames, publicKeyNamed } from './keys.ts'
import { hasOpenSsh, sshKeygen } from '@tunnel/testkit'
import { workDirectory } from './work-directory.ts'

// An ECDSA signature is wrong only sometimes, when a number of it comes out short.
const rounds = process.env['TEST_LONG'] ? 300 : 25
const signatureNames: Record<KeyName, string> = {
  ed25519: 'ssh-ed25519',
  'ecdsa p256': 'ecdsa-sha2-nistp256',
  'ecdsa p384': 'ecdsa-sha2-nistp384',
  'ecdsa p521': 'ecdsa-sha2-nistp521',
  'rsa 2048': 'rsa-sha2-512',
  'rsa 3072': 'rsa-sha2-512',
}

describe.skipIf(!hasOpenSsh).each(keyNames)('a certificate by an authority of type %s', (authority) => {
  it.each(keyNames)('is read by ssh-keygen for a key of type %s', async (subject) => {
    await using directory = await workDirectory()
    const file = directory.write('x-cert.pub', hostCertificate(authority, { publicKey: publicKeyNamed(subject) }))
    const shown = sshKeygen('-L', '-f', file)
    expect(shown).toContain('host certificate')
    expect(shown).toContain(`(using ${signatureNames[authority]})`)
    expect(shown).toContain('Key ID: "shcrt_1"')
    expect(shown).toContain('Serial: 0')
    expect(shown).toMatch(/Principals: \n\s+a\.example\.com\n\s+::1\n/)
    const plain = directory.write('x.pub', formatPublicKey(publicKeyNamed(subject)))
    expect(fingerprint(sshKeygen('-l', '-f', file))).toBe(fingerprint(sshKeygen('-l', '-f', plain)))
  })
})

it.skipIf(!hasOpenSsh).each(['ecdsa p256', 'ecdsa p521'] as const)(
  `%s signs ${rounds} certificates that ssh-keygen verifies`,
  async (name) => {
    await using directory = await workDirectory()
    const lines = Array.from({ length: rounds }, () => hostCertificate(name))
    const shown = sshKeygen('-L', '-f', directory.write('many-cert.pub', `${lines.join('\n')}\n`))
    expect(shown.match(/Key ID: "shcrt_1"/g)).toHaveLength(rounds)
  },
)

function fingerprint(line: string): string | undefined {
  return line.split(' ')[1]
}
