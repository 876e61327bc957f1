import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PublicKeyError, type SshPublicKey, parsePublicKey } from '@tunnel/ssh-certificates'

/** A public key of this host. */
export interface HostKey {
  /** Its line, as it stands in the file. */
  readonly line: string
  readonly key: SshPublicKey
  /** Where sshd expects the certificate: `…-cert.pub` beside `….pub`. */
  readonly certificateFile: string
}

/** A key file that no certificate can be made for, such as a DSA key of an old installation. */
export interface UnusableHostKey {
  readonly file: string
  readonly problem: string
}

/** Reads the `ssh_host_*_key.pub` files of a directory, in the order of their names. */
export async function readHostKeys(directory: string): Promise<(HostKey | UnusableHostKey)[]> {
  const names = (await readdir(directory)).filter((name) => /^ssh_host_.+_key\.pub$/.test(name)).sort()
  return Promise.all(names.map((name) => readHostKey(join(directory, name))))
}

async function readHostKey(file: string): Promise<HostKey | UnusableHostKey> {
  const line = (await readFile(file, 'utf8')).trim()
  try {
    return { line, key: parsePublicKey(line), certificateFile: file.replace(/\.pub$/, '-cert.pub') }
  } catch (error) {
    if (error instanceof PublicKeyError) return { file, problem: error.message }
    throw error
  }
}
