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

  /** An authority that this one vouches for. */
  async below(name: string): Promise<ClientAuthority> {
    const { cert, key } = this.#files
    const files = await make(this.#dir, name, [
      '-CA',
      cert,
      '-CAkey',
      key,
      '-addext',
      'basicConstraints=critical,CA:TRUE',
    ])
    return new ClientAuthority(await readFile(files.cert, 'utf8'), files, this.#dir)
  }

  sign(name: string): Promise<CertificateFiles> {
    const { cert, key } = this.#files
    return make(this.#dir, name, ['-CA', cert, '-CAkey', key, '-addext', 'basicConstraints=critical,CA:FALSE'])
  }

  async signExpired(name: string): Promise<CertificateFiles> {
    const { cert, key } = this.#files
    const files = await this.sign(name)
    const again = ['-x509toreq', '-in', files.cert, '-signkey', files.key, '-out', `${files.cert}.csr`]
    await runProcess('openssl', ['x509', ...again])
    const ended = ['-req', '-in', `${files.cert}.csr`, '-CA', cert, '-CAkey', key, '-days', '-1', '-out', files.cert]
    await runProcess('openssl', ['x509', ...ended])
    return files
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
