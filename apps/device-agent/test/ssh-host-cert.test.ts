import { generateKeyPairSync } from 'node:crypto'
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { decodeCertificate, formatPublicKey, publicKeyOf } from '@tunnel/ssh-certificates'
import { type TempDir, startProcess, tempDir } from '@tunnel/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Secret } from '../src/secret.ts'
import { CertificateApi } from '../src/ssh/certificate-api.ts'
import { readHostCertOptions } from '../src/ssh/host-cert-options.ts'
import { type CertifiedHost, certifyHost } from '../src/ssh/host-certifier.ts'
import { ManagementApi } from '../src/ssh/management-api.ts'
import { type FakeCertificateApi, ed25519, startCertificateApi } from './fake-certificate-api.ts'

const apiKey = 'the-api-key-of-the-account'
const dayMs = 24 * 3600 * 1000
const main = join(import.meta.dirname, '../src/main.ts')

let api: FakeCertificateApi
let directory: TempDir
beforeEach(async () => {
  api = await startCertificateApi(apiKey)
  directory = await tempDir()
  await mkdir(join(directory.path, 'sshd_config.d'))
  const keys = { ed25519: ed25519(), ecdsa: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }
  for (const [name, key] of Object.entries(keys))
    await writeFile(keyFile(name), `${formatPublicKey(publicKeyOf(key))} root@host\n`)
})
afterEach(async () => {
  await api[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

function keyFile(name: string): string {
  return join(directory.path, `ssh_host_${name}_key.pub`)
}

function certificateFile(name: string): string {
  return join(directory.path, `ssh_host_${name}_key-cert.pub`)
}

async function certify(argv: string[] = [], now = Date.now()): Promise<CertifiedHost> {
  const options = readHostCertOptions(['--ca', 'sshca_1', '--keys-dir', directory.path, ...argv])
  const access = {
    apiUrl: api.url,
    apiKey: { kind: 'value', value: new Secret(apiKey) },
    caFile: null,
    proxy: null,
  } as const
  return certifyHost(options, new CertificateApi(new ManagementApi(access)), now)
}

async function kinds(argv: string[] = [], now?: number): Promise<string[]> {
  return (await certify(argv, now)).outcomes.map((outcome) => outcome.kind)
}

async function runCommand(argv: string[], env: Record<string, string> = {}) {
  await using command = await startProcess(process.execPath, [main, 'ssh-host-cert', ...argv], {
    env: { SERVICE_API_URL: api.url, SERVICE_API_KEY: apiKey, ...env },
  })
  const { code } = await command.exited
  return { code, output: command.output() }
}

it('certifies every host key for the name of the host and tells sshd about it', async () => {
  const { hasChanged } = await certify()
  expect(hasChanged).toBe(true)
  for (const name of ['ed25519', 'ecdsa']) {
    const line = await readFile(certificateFile(name), 'utf8')
    expect(decodeCertificate(line).principals).toEqual([hostname().toLowerCase()])
    expect((await stat(certificateFile(name))).mode & 0o777).toBe(0o644)
  }
  const config = await readFile(join(directory.path, 'sshd_config.d/host-certificates.conf'), 'utf8')
  expect(config).toBe(`HostCertificate ${certificateFile('ecdsa')}\nHostCertificate ${certificateFile('ed25519')}\n`)
  expect((await readdir(directory.path)).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

it('keeps certificates until two thirds of their life are over, then renews them', async () => {
  expect(await kinds()).toEqual(['issued', 'issued'])
  const { hasChanged } = await certify()
  expect(hasChanged).toBe(false)
  expect(await kinds([], Date.now() + 243 * dayMs)).toEqual(['kept', 'kept'])
  expect(await kinds([], Date.now() + 244 * dayMs)).toEqual(['issued', 'issued'])
  expect(api.requests).toHaveLength(4)
})

it('makes a certificate anew that says something else than is wanted', async () => {
  await certify(['--principal', 'a.example.com'])
  expect(await kinds(['--principal', 'A.example.com.'])).toEqual(['kept', 'kept'])
  expect(await kinds(['--principal', 'a.example.com', '--principal', '10.0.0.1'])).toEqual(['issued', 'issued'])
  api.privateKey = ed25519()
  expect(await kinds(['--principal', 'a.example.com', '--principal', '10.0.0.1'])).toEqual(['issued', 'issued'])
  await writeFile(keyFile('ecdsa'), formatPublicKey(publicKeyOf(ed25519())))
  await writeFile(certificateFile('ed25519'), 'torn')
  expect(await kinds(['--principal', 'a.example.com', '--principal', '10.0.0.1'])).toEqual(['issued', 'issued'])
})

it('skips a key that gets no certificate and goes on with the others', async () => {
  await writeFile(keyFile('dsa'), 'ssh-dss AAAAB3NzaC1kc3M= root@host\n')
  expect(await kinds()).toEqual(['unusable', 'issued', 'issued'])
})

it('writes nothing when the API gives a certificate for another key', async () => {
  api.substitute = formatPublicKey(publicKeyOf(ed25519()))
  await expect(certify()).rejects.toThrow('another certificate')
  expect(await readdir(directory.path)).toEqual(['ssh_host_ecdsa_key.pub', 'ssh_host_ed25519_key.pub', 'sshd_config.d'])
})

it('as a command prints the outcome, runs --on-change once, and ends with 0', async () => {
  const argv = ['--ca', 'sshca_1', '--principal', 'a.example.com', '--keys-dir', directory.path]
  const onChange = ['--on-change', `echo x >> ${directory.path}/reloads`]
  const first = await runCommand([...argv, ...onChange])
  expect(first.code).toBe(0)
  expect(first.output).toContain(`issued ${certificateFile('ed25519')} shcrt_2 until `)
  expect(first.output).toContain('@cert-authority a.example.com ssh-ed25519 AAAA')
  const second = await runCommand([...argv, ...onChange])
  expect(second.output).toContain(`kept ${certificateFile('ed25519')} shcrt_2 until `)
  expect(await readFile(join(directory.path, 'reloads'), 'utf8')).toBe('x\n')
})

it('as a command takes the API key from a file, and watches until it is told to stop', async () => {
  await writeFile(join(directory.path, 'key'), `${apiKey}\n`)
  const argv = ['ssh-host-cert', '--ca', 'sshca_1', '--keys-dir', directory.path, '--watch']
  const env = { SERVICE_API_URL: api.url, SERVICE_API_KEY_FILE: join(directory.path, 'key') }
  await using command = await startProcess(process.execPath, [main, ...argv], { env })
  await command.waitForOutput(/@cert-authority/)
  expect(await command.stop()).toEqual({ code: 0, signal: null })
})

it.each([
  ['without an authority', 64, [], {}, '--ca is required'],
  ['with a principal that has a port', 64, ['--ca', 'x', '--principal', 'a:22'], {}, 'without a port'],
  ['without an API key', 64, ['--ca', 'x'], { SERVICE_API_KEY: '' }, 'SERVICE_API_KEY is required'],
  ['over plain HTTP', 64, ['--ca', 'x'], { SERVICE_API_URL: 'http://api.example.com' }, 'use https://'],
  ['with a wrong API key', 1, ['--ca', 'x'], { SERVICE_API_KEY: 'wrong' }, 'ERR_SERVICE_203'],
  ['while the API is down', 1, ['--ca', 'x'], { SERVICE_API_URL: 'http://127.0.0.1:1' }, 'cannot be reached'],
  ['without host keys', 1, ['--ca', 'x', '--keys-dir', '/var/empty-or-missing'], {}, '/var/empty-or-missing'],
  ['when the command of --on-change fails', 1, ['--ca', 'x', '--on-change', 'exit 3'], {}, '--on-change failed'],
])('as a command fails %s with %i', async (_, code, argv, env, message) => {
  const keys = argv.includes('--keys-dir') ? [] : ['--keys-dir', directory.path]
  const failed = await runCommand([...argv, ...keys], env)
  expect(failed.output).toContain(message)
  expect(failed.output).not.toContain(apiKey)
  expect(failed.code).toBe(code)
})
