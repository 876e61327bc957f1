import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasOpenSsh, sshKeygen } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, type WireBody, startTestApi } from '../api/api-harness.ts'

const authorityKinds = {
  ed25519: { body: {}, signature: 'ssh-ed25519' },
  'ecdsa p256': { body: { private_key_type: 'ecdsa', elliptic_curve: 'p256' }, signature: 'ecdsa-sha2-nistp256' },
  'ecdsa p384': { body: { private_key_type: 'ecdsa', elliptic_curve: 'p384' }, signature: 'ecdsa-sha2-nistp384' },
  'ecdsa p521': { body: { private_key_type: 'ecdsa', elliptic_curve: 'p521' }, signature: 'ecdsa-sha2-nistp521' },
  'rsa 2048': { body: { private_key_type: 'rsa', key_size: 2048 }, signature: 'rsa-sha2-512' },
  'rsa 4096': { body: { private_key_type: 'rsa', key_size: 4096 }, signature: 'rsa-sha2-512' },
}
const subjectKinds = ['ed25519', 'ecdsa 256', 'ecdsa 384', 'ecdsa 521', 'rsa 2048']

// Every round is another signature: an ECDSA one is wrong only sometimes, when a number of it comes out short.
const rounds = process.env['TEST_LONG'] ? 300 : 40

describe.skipIf(!hasOpenSsh)('certificates of the API, read by ssh-keygen', () => {
  let api: TestApi
  let client: Client
  const authorities = new Map<string, WireBody>()

  beforeAll(async () => {
    api = await startTestApi()
    client = await api.newClient()
    for (const [name, { body }] of Object.entries(authorityKinds))
      authorities.set(name, await client.create('/ssh_certificate_authorities', body))
    for (const subject of subjectKinds) makeKey(subject)
  }, 60_000)
  afterAll(() => api[Symbol.asyncDispose]())

  function makeKey(subject: string): void {
    const [type = '', bits = '256'] = subject.split(' ')
    sshKeygen('-q', '-t', type, '-b', bits, '-N', '', '-C', 'root@host', '-f', keyFile(subject))
  }

  function keyFile(subject: string): string {
    return join(api.dataDir, subject.replace(' ', '-'))
  }

  async function certify(authority: string, subject: string, changes: object = {}): Promise<WireBody> {
    return client.create('/ssh_host_certificates', {
      ssh_certificate_authority_id: authorities.get(authority)?.id,
      public_key: readFileSync(`${keyFile(subject)}.pub`, 'utf8'),
      ...changes,
    })
  }

  function show(lines: readonly WireBody[]): string {
    const file = join(api.dataDir, 'x-cert.pub')
    writeFileSync(file, lines.map((line) => `${String(line['certificate'])}\n`).join(''))
    return sshKeygen('-L', '-f', file)
  }

  const pairs = Object.keys(authorityKinds).flatMap((authority) =>
    subjectKinds.map((subject) => [authority, subject] as const),
  )

  it.each(pairs)('by an authority with %s for a key with %s', async (authority, subject) => {
    const validity = { valid_after: '2026-01-01T00:00:00Z', valid_until: '2027-01-01T00:00:00Z' }
    const created = await certify(authority, subject, { principals: ['a.example.com', '10.0.0.1'], ...validity })
    const shown = show([created])
    expect(shown).toContain('host certificate')
    expect(shown).toContain(`(using ${authorityKinds[authority as keyof typeof authorityKinds].signature})`)
    expect(shown).toContain(`Key ID: "${created.id}"`)
    expect(shown).toContain('Serial: 0\n')
    expect(shown).toMatch(/Valid: from (2026-01-01|2025-12-31)T\S+ to (2027-01-01|2026-12-31)T/)
    expect(shown).toMatch(/Principals: \n\s+a\.example\.com\n\s+10\.0\.0\.1\n/)
    const fingerprint = (file: string) => sshKeygen('-l', '-f', file).split(' ')[1]
    expect(fingerprint(join(api.dataDir, 'x-cert.pub'))).toBe(fingerprint(`${keyFile(subject)}.pub`))
  })

  it.each(['ecdsa p256', 'ecdsa p521'])(
    `${rounds} times by an authority with %s`,
    async (authority) => {
      const certificates: WireBody[] = []
      for (let round = 0; round < rounds; round += 1) certificates.push(await certify(authority, 'ed25519'))
      expect(show(certificates).match(/Key ID: /g)).toHaveLength(rounds)
    },
    60_000,
  )

  it('without principals', async () => {
    expect(show([await certify('ed25519', 'ed25519')])).toContain('Principals: (none)')
  })
})
