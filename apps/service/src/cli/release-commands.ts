import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import {
  type CertifiedKey,
  certifyReleaseKey,
  generateSigningKey,
  keyIdOf,
  type Manifest,
  parseVersion,
  publicKeyOf,
  signRelease,
} from '@tunnel/agent-release'
import { ReleaseShelf } from '../releases/release-shelf.ts'
import { type Command, type CommandInput, printResult, requiredOption, UsageError } from './command.ts'

const keyValidDays = 365
const releaseValidDays = 180
const oldestNode = '20.18.0'

export const generateReleaseKeys: Command = {
  name: ['release', 'keygen'],
  usage: 'release keygen DIR [--revoke KEY_ID,…]   root key (once) and a new release key; keep both offline',
  options: { revoke: { type: 'string' }, json: { type: 'boolean' } },
  positionals: 1,
  async run(input) {
    const dir = resolve(input.files[0] ?? '')
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const rootPem = await rootKey(dir)
    const key = generateSigningKey()
    const revokes = listOf(input.values['revoke'])
    const certified = certifyReleaseKey(key.publicKey, { expiresAt: inDays(keyValidDays), revokes }, rootPem)
    await writeFile(join(dir, 'release.pem'), key.privatePem, { mode: 0o600 })
    await writeFile(join(dir, 'release-key.json'), `${JSON.stringify(certified)}\n`)
    const roots = join(dir, 'root.pub')
    const keyId = keyIdOf(key.publicKey)
    printResult(input, { keyId, roots }, [`release key ${keyId}; build agents with the root keys in ${roots}`])
  },
}

export const signAgentRelease: Command = {
  name: ['release', 'sign'],
  usage:
    'release sign BUNDLE --keys DIR --version V [--channel C] [--min-agent V] [--expires-days N] [--allow-downgrade]',
  options: {
    keys: { type: 'string' },
    version: { type: 'string' },
    channel: { type: 'string', default: 'stable' },
    'min-agent': { type: 'string' },
    'expires-days': { type: 'string', default: String(releaseValidDays) },
    'allow-downgrade': { type: 'boolean', default: false },
    json: { type: 'boolean' },
  },
  positionals: 1,
  async run(input) {
    const path = resolve(input.files[0] ?? '')
    const dir = resolve(requiredOption(input, 'keys'))
    const manifest = describeBundle(input, await readFile(path))
    const key = JSON.parse(await readFile(join(dir, 'release-key.json'), 'utf8')) as CertifiedKey
    const release = signRelease(manifest, key, await readFile(join(dir, 'release.pem'), 'utf8'))
    await writeFile(releaseFile(path), `${JSON.stringify(release)}\n`)
    printResult(input, manifest, [`signed ${manifest.version} as ${releaseFile(path)}`])
  },
}

export const publishAgentRelease: Command = {
  name: ['release', 'publish'],
  usage: 'release publish BUNDLE                   offers a signed bundle to the agents',
  options: { json: { type: 'boolean' } },
  positionals: 1,
  async run(input) {
    const path = resolve(input.files[0] ?? '')
    const shelf = new ReleaseShelf(input.settings.releasesDir)
    const manifest = await shelf.publish(await readFile(path), await readFile(releaseFile(path), 'utf8'))
    printResult(input, manifest, [`${manifest.version} is offered in channel ${manifest.channel}`])
  },
}

export const listAgentReleases: Command = {
  name: ['release', 'list'],
  usage: 'release list                             what agents are offered',
  options: { json: { type: 'boolean' } },
  positionals: 0,
  async run(input) {
    const releases = await new ReleaseShelf(input.settings.releasesDir).list()
    const lines = releases.map(({ channel, version, expiresAt }) => `${channel} ${version}, until ${expiresAt}`)
    printResult(input, { releases }, lines.length > 0 ? lines : ['no release is offered'])
  },
}

/** The root key of a directory; made at the first call, because every agent has to know it. */
async function rootKey(dir: string): Promise<string> {
  const path = join(dir, 'root.pem')
  if (existsSync(path)) return readFile(path, 'utf8')
  const { privatePem } = generateSigningKey()
  await writeFile(path, privatePem, { mode: 0o600, flag: 'wx' })
  await writeFile(join(dir, 'root.pub'), `${publicKeyOf(privatePem)}\n`)
  return privatePem
}

function describeBundle(input: CommandInput, bundle: Buffer): Manifest {
  const version = versionOption(input, 'version', null)
  const days = Number(input.values['expires-days'])
  if (!Number.isInteger(days) || days < 1) throw new UsageError('--expires-days must be a number of days')
  return {
    schema: 1,
    product: 'tunnel-agent',
    version,
    channel: String(input.values['channel']),
    minAgent: versionOption(input, 'min-agent', `${parseVersion(version)?.major ?? 0}.0.0`),
    minNode: oldestNode,
    sha256: createHash('sha256').update(bundle).digest('hex'),
    sizeBytes: bundle.length,
    createdAt: inDays(0),
    expiresAt: inDays(days),
    allowDowngrade: input.values['allow-downgrade'] === true,
  }
}

function versionOption(input: CommandInput, name: string, fallback: string | null): string {
  const given = input.values[name]
  const value = typeof given === 'string' || fallback === null ? requiredOption(input, name) : fallback
  if (parseVersion(value) === null) throw new UsageError(`--${name} must be a version such as 1.2.3`)
  return value
}

function listOf(value: CommandInput['values'][string]): string[] {
  return typeof value === 'string' ? value.split(',').filter(Boolean) : []
}

function releaseFile(bundlePath: string): string {
  return `${bundlePath}.release.json`
}

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}
