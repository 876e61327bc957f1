import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { open, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '../../storage/sync-to-disk.ts'
import { type KeyAndCertificate, RootAuthority } from './root-authority.ts'

/** What encrypts the root's key at rest. */
export interface KeySealer {
  seal(plain: string, place: SecretPlace): Sealed
  /** Throws when the master key is gone or the secret was altered. */
  open(sealed: Sealed, place: SecretPlace): string
}

interface SecretPlace {
  readonly resourceId: string
  readonly name: string
}

interface Sealed {
  readonly keyId: string
  readonly sealed: string
}

interface RootFile {
  readonly certificate: string
  readonly key: Sealed
}

const keyPlace: SecretPlace = { resourceId: 'local-ca', name: 'root-key' }

/** Reads the root from the data directory, or creates it there: `local-ca.json` (0600, key sealed) and `local-ca.pem` to hand out. */
export async function openRootFile(dataDir: string, sealer: KeySealer): Promise<KeyAndCertificate> {
  const file = join(dataDir, 'local-ca.json')
  const root = existsSync(file) ? readRoot(file, sealer) : await createRoot(dataDir, file, sealer)
  await writeFile(join(dataDir, 'local-ca.pem'), root.cert, { mode: 0o644 })
  return root
}

/** Seals the root's key with the master key of today, when there is a root. */
export async function resealRootFile(dataDir: string, sealer: KeySealer): Promise<void> {
  const file = join(dataDir, 'local-ca.json')
  if (existsSync(file)) await writeRoot(file, readRoot(file, sealer), sealer)
}

function readRoot(file: string, sealer: KeySealer): KeyAndCertificate {
  const { certificate, key } = JSON.parse(readFileSync(file, 'utf8')) as RootFile
  return { cert: certificate, key: sealer.open(key, keyPlace) }
}

async function createRoot(dataDir: string, file: string, sealer: KeySealer): Promise<KeyAndCertificate> {
  const root = await RootAuthority.create()
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  await writeRoot(file, root, sealer)
  return root
}

async function writeRoot(file: string, root: KeyAndCertificate, sealer: KeySealer): Promise<void> {
  const content: RootFile = { certificate: root.cert, key: sealer.seal(root.key, keyPlace) }
  await writeDurably(file, JSON.stringify(content))
}

/** A crash leaves no file or the whole one: a second root would not be trusted by who trusted the first. */
async function writeDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.new`
  const handle = await open(draft, 'w', 0o600)
  await handle.writeFile(text)
  await handle.sync()
  await handle.close()
  await rename(draft, file)
  syncDirectory(dirname(file))
}
