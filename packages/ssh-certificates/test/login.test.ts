import { type SshLoginResult, type SshServer, hasOpenSsh, sshLogin, startSshServer } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CertificateContent, encodeRevocationList, formatPublicKey } from '../src/index.ts'
import { hostCertificate } from './host-certificate.ts'
import { type KeyName, keyNames, privateKeys, publicKeyNamed } from './keys.ts'
import { privateKeyFile } from './private-key-file.ts'
import { type WorkDirectory, workDirectory } from './work-directory.ts'

const now = BigInt(Math.floor(Date.now() / 1000))
const thisHour = { validAfter: now - 60n, validBefore: now + 3600n }
const loginKey = publicKeyNamed('ecdsa p256')

let directory: WorkDirectory

beforeAll(async () => {
  directory = await workDirectory()
  directory.write('authorized_keys', formatPublicKey(loginKey))
  for (const name of keyNames) directory.write(fileOf(name), privateKeyFile(privateKeys[name]))
})

afterAll(() => directory[Symbol.asyncDispose]())

function fileOf(name: KeyName): string {
  return name.replace(' ', '-')
}

async function startDevice(certificate: string, subject: KeyName = 'ed25519'): Promise<SshServer> {
  const file = directory.write('host-cert.pub', certificate)
  const config = [`HostKey ${directory.path}/${fileOf(subject)}`, `HostCertificate ${file}`]
  return startSshServer({
    directory: directory.path,
    config: [...config, `AuthorizedKeysFile ${directory.path}/authorized_keys`],
  })
}

/** What a person gets who trusts `authority` for every host and types `host`. */
async function loginTo(device: SshServer, authority: KeyName, options: string[] = []): Promise<SshLoginResult> {
  const line = `@cert-authority * ${formatPublicKey(publicKeyNamed(authority))}\n`
  const knownHostsFile = directory.write('known_hosts', line)
  const identityFile = `${directory.path}/${fileOf('ecdsa p256')}`
  return sshLogin({ ...device, identityFile, knownHostsFile, options })
}

async function loginWith(changes: Partial<CertificateContent>, options: string[] = []): Promise<SshLoginResult> {
  const content = { principals: ['127.0.0.1'], ...thisHour, ...changes }
  await using device = await startDevice(hostCertificate('ed25519', content))
  return await loginTo(device, 'ed25519', options)
}

describe.skipIf(!hasOpenSsh)('a host certificate at a real sshd', () => {
  const everyPair = keyNames.flatMap((authority) => keyNames.map((subject) => [authority, subject] as const))
  const pairs = process.env['TEST_LONG'] ? everyPair : everyPair.filter((pair) => pair.includes('ed25519'))

  it.each(pairs)('of an authority with %s on a key with %s lets a client in unasked', async (authority, subject) => {
    const content = { publicKey: publicKeyNamed(subject), principals: ['127.0.0.1'], ...thisHour }
    await using device = await startDevice(hostCertificate(authority, content), subject)
    const { status, stderr } = await loginTo(device, authority)
    expect(stderr).not.toContain('ertificate invalid')
    expect(status).toBe(0)
  })

  it.each([
    ['for another host', { principals: ['10.9.9.9'] }, 'name is not a listed principal'],
    ['for the same host in upper case', { principals: ['LOCALHOST'] }, 'name is not a listed principal'],
    ['that has expired', { validAfter: now - 60n, validBefore: now - 1n }, 'expired'],
    ['that is not valid yet', { validAfter: now + 60n, validBefore: now + 99n }, 'not yet valid'],
    ['made for users', { type: 'user' }, 'not a host certificate'],
    ['with a critical option', { criticalOptions: { x: 'y' } }, 'contains unsupported critical options'],
  ] as const)('%s is refused', async (_, changes, reason) => {
    const { status, stderr } = await loginWith(changes)
    expect(stderr).toContain(reason)
    expect(status).toBe(255)
  })

  it('of another authority is refused', async () => {
    await using device = await startDevice(hostCertificate('ed25519', { principals: ['127.0.0.1'], ...thisHour }))
    const { status, stderr } = await loginTo(device, 'ecdsa p256')
    expect(stderr).toContain('Host key verification failed')
    expect(status).toBe(255)
  })

  it('is valid for every host without principals or with a star, as the version of the client has it', async () => {
    const { status: withNone } = await loginWith({ principals: [] })
    const { status: withStar } = await loginWith({ principals: ['*'] })
    expect(new Set([withNone, withStar])).toEqual(new Set([0, 255]))
  })

  it('on a revocation list is refused', async () => {
    const list = { authority: publicKeyNamed('ed25519'), version: 1n, generatedAt: now, comment: '' }
    const file = directory.write('krl', encodeRevocationList({ ...list, keyIds: ['shcrt_gone'] }))
    const revoked = [`RevokedHostKeys=${file}`]
    expect((await loginWith({ keyId: 'shcrt_gone' }, revoked)).stderr).toContain('revoked')
    expect((await loginWith({ keyId: 'shcrt_kept' }, revoked)).status).toBe(0)
  })
})

describe.skipIf(!hasOpenSsh)('a user certificate at a real sshd', () => {
  async function login(changes: Partial<CertificateContent>, command?: string): Promise<SshLoginResult> {
    const authority = directory.write('user-authority.pub', formatPublicKey(publicKeyNamed('rsa 3072')))
    await using device = await startSshServer({
      directory: directory.path,
      config: [`HostKey ${directory.path}/ed25519`, `TrustedUserCAKeys ${authority}`],
    })
    const knownHostsFile = directory.write('known_hosts', `* ${formatPublicKey(publicKeyNamed('ed25519'))}\n`)
    const content = { type: 'user', publicKey: loginKey, principals: [device.user], ...thisHour, ...changes } as const
    directory.write(`${fileOf('ecdsa p256')}-cert.pub`, hostCertificate('rsa 3072', content))
    const identityFile = `${directory.path}/${fileOf('ecdsa p256')}`
    return await sshLogin({ ...device, identityFile, knownHostsFile, ...(command && { command }) })
  }

  it('lets its user in', async () => {
    expect(await login({}, 'echo in')).toMatchObject({ status: 0, stdout: 'in\n' })
  })

  it.each([
    ['for another user', { principals: ['somebody-else'] }],
    ['for no user', { principals: [] }],
    ['that has expired', { validBefore: now - 1n }],
    ['from another address', { criticalOptions: { 'source-address': '10.9.0.0/16' } }],
    ['with an unknown critical option', { criticalOptions: { 'x@example.com': '' } }],
  ])('%s is refused', async (_, changes) => {
    expect((await login(changes)).status).toBe(255)
  })

  it('is bound to its source address and its command', async () => {
    const criticalOptions = { 'source-address': '127.0.0.0/8', 'force-command': 'echo forced' }
    expect(await login({ criticalOptions }, 'echo free')).toMatchObject({ status: 0, stdout: 'forced\n' })
  })
})
