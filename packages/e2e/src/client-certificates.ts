import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProcess } from '@tunnel/testkit'

/** Files of a certificate and its key. */
export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** An authority made by OpenSSL, and the certificates that it signs. */
export class ClientAuthority {
  readonly pem: string
  readonly #files: CertificateFiles
  readonly #dir: string

  private constructor(pem: string, files: CertificateFiles, dir: string) {
    this.pem = pem
    this.#files = files
    this.#dir = dir
  }

  static async create(dir: string, name: string): Promise<ClientAuthority> {
    const files = await make(dir, name, ['-addext', 'basicConstraints=critical,CA:TRUE'])
    return new ClientAuthority(await readFile(files.cert, 'utf8'), files, dir)
  }

  sign(name: string): Promise<CertificateFiles> {
    const { cert, key } = this.#files
    return make(this.#dir, name, ['-CA', cert, '-CAkey', key, '-addext', 'basicConstraints=critical,CA:FALSE'])
  }
}

async function make(dir: string, name: string, options: readonly string[]): Promise<CertificateFiles> {
  const files = { cert: join(dir, `${name}.pem`), key: join(dir, `${name}.key`) }
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  await runProcess('openssl', [
    'req',
    ...kind,
    '-subj',
    `/CN=${name}`,
    '-keyout',
    files.key,
    '-out',
    files.cert,
    ...options,
  ])
  return files
}
