import type { CertificateContent } from '../../src/index.ts'

/** The secret key of test 1 in RFC 8032, section 7.1: known to everybody, so it may stand in a repository. */
export const authoritySeed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')

export interface GoldenCase {
  readonly name: string
  readonly subject: 'ed25519' | 'ecdsa-256' | 'ecdsa-384' | 'ecdsa-521' | 'rsa-2048'
  /** What `ssh-keygen -s` is told; the content says the same to our encoder. */
  readonly parameters: string
  readonly content: Omit<CertificateContent, 'publicKey'>
}

const year2026 = { validAfter: 1_767_225_600n, validBefore: 1_798_761_600n }
const forTheYear = '-V 20260101000000Z:20270101000000Z'
const host = {
  type: 'host',
  serial: 0n,
  keyId: 'shcrt_1',
  principals: ['a', 'b'],
  ...year2026,
  criticalOptions: {},
  extensions: {},
} as const
const hostParameters = `-h -I shcrt_1 -n a,b ${forTheYear}`
const user = { ...host, type: 'user', keyId: 'sucrt_1' } as const

export const goldenCases: readonly GoldenCase[] = [
  { name: 'host-ed25519', subject: 'ed25519', parameters: hostParameters, content: host },
  { name: 'host-ecdsa-256', subject: 'ecdsa-256', parameters: hostParameters, content: host },
  { name: 'host-ecdsa-384', subject: 'ecdsa-384', parameters: hostParameters, content: host },
  { name: 'host-ecdsa-521', subject: 'ecdsa-521', parameters: hostParameters, content: host },
  { name: 'host-rsa', subject: 'rsa-2048', parameters: hostParameters, content: host },
  {
    name: 'host-all-names-forever',
    subject: 'ed25519',
    parameters: '-h -I any -z 18446744073709551615 -V always:forever',
    content: {
      ...host,
      keyId: 'any',
      principals: [],
      serial: 2n ** 64n - 1n,
      validAfter: 0n,
      validBefore: 2n ** 64n - 1n,
    },
  },
  {
    name: 'user-defaults',
    subject: 'ed25519',
    parameters: `-I sucrt_1 -n a,b -O clear -O permit-user-rc -O permit-pty ${forTheYear}`,
    content: { ...user, extensions: { 'permit-user-rc': '', 'permit-pty': '' } },
  },
  {
    name: 'user-options',
    subject: 'ecdsa-256',
    parameters: `-I sucrt_1 -n a,b -O clear -O source-address=10.0.0.0/8 -O force-command=uptime -O extension:note@example.com=ü ${forTheYear}`,
    content: {
      ...user,
      criticalOptions: { 'source-address': '10.0.0.0/8', 'force-command': 'uptime' },
      extensions: { 'note@example.com': 'ü' },
    },
  },
]
