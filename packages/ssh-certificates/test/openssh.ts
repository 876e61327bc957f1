import { execFileSync, spawnSync } from 'node:child_process'
import { type KeyObject, createPrivateKey } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WireWriter } from '../src/wire/writer.ts'
import { publicKeyOf } from '../src/index.ts'

export interface WorkDirectory extends Disposable {
  readonly path: string
  /** Writes a file that only its owner may read, as OpenSSH demands, and returns its path. */
  write(name: string, content: string | Buffer): string
}

export function workDirectory(): WorkDirectory {
  const path = mkdtempSync(join(tmpdir(), 'ssh-certificates-'))
  return {
    path,
    write(name, content) {
      writeFileSync(join(path, name), content, { mode: 0o600 })
      return join(path, name)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  }
}

/** The output of a successful `ssh-keygen`; throws with its words otherwise. */
export function sshKeygen(...parameters: readonly string[]): string {
  return execFileSync('ssh-keygen', parameters, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 20_000,
  })
}

/** What `ssh-keygen` says and how it ends, for questions whose answer is its exit code. */
export function askSshKeygen(...parameters: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('ssh-keygen', parameters, { encoding: 'utf8', timeout: 20_000 })
  return { status, output: stdout + stderr }
}

/** A private key in the one format that every `ssh-keygen` reads for Ed25519 (PROTOCOL.key of OpenSSH). */
export function opensshPrivateKey(seed: Buffer): string {
  const publicKey = publicKeyOf(ed25519FromSeed(seed))
  const point = publicKey.blob.subarray(-32)
  const secret = new WireWriter()
    .uint64(0n)
    .raw(publicKey.blob)
    .string(Buffer.concat([seed, point]))
    .string('')
  const length = secret.toBuffer().length
  for (let pad = 1; (length + pad - 1) % 8 !== 0; pad++) secret.uint8(pad)
  const file = new WireWriter().raw(Buffer.from('openssh-key-v1\0')).string('none').string('none').string('')
  file.uint32(1).string(publicKey.blob).string(secret.toBuffer())
  const begin = ['-----BEGIN OPENSSH', 'PRIVATE KEY-----'].join(' ')
  return `${begin}\n${file.toBuffer().toString('base64')}\n${begin.replace('BEGIN', 'END')}\n`
}

export function ed25519FromSeed(seed: Buffer): KeyObject {
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  return createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
}
