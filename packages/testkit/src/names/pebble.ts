import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, untilListening } from '../free-port.ts'
import { runProcess, startProcess } from '../running-process.ts'
import { tempDir } from '../temp-dir.ts'

export interface PebbleOptions {
  /** Where it resolves names, over TCP, as from a recursor. */
  readonly dnsPort: number
  /** Where it connects for http-01; by default nowhere useful. */
  readonly httpPort?: number
  /** Percentage of nonces that it refuses. */
  readonly refusedNonces?: number
  /** Demands one of these accounts: key id to base64url HMAC key. */
  readonly externalAccounts?: Readonly<Record<string, string>>
  /** To start it again where it was, and as the one it was. */
  readonly port?: number
  readonly apiIdentity?: ApiIdentity
  /** Of the certificates that it issues; 5 years by default. */
  readonly validitySeconds?: number
}

/** The certificate and key of its API. */
interface ApiIdentity {
  readonly certificatePem: string
  readonly privateKeyPem: string
}

/** A certificate authority for tests: Debian's `pebble`, which speaks ACME strictly. */
export interface Pebble extends AsyncDisposable {
  readonly port: number
  readonly directoryUrl: string
  /** PEM root for connections to its API. */
  readonly apiCaPem: string
  readonly apiIdentity: ApiIdentity
  /** PEM root of the certificates that it issues; another one at each start. */
  rootPem(): Promise<string>
  output(): string
}

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const dir = await tempDir()
  const port = options.port ?? (await freePort())
  const managementPort = await freePort()
  const apiIdentity = options.apiIdentity ?? (await makeApiIdentity(dir.path))
  await writeFile(join(dir.path, 'api.pem'), apiIdentity.certificatePem)
  await writeFile(join(dir.path, 'api.key'), apiIdentity.privateKeyPem)
  const config = join(dir.path, 'pebble.json')
  await writeFile(config, JSON.stringify({ pebble: settings(dir.path, port, managementPort, options) }))
  const pebble = await startProcess(
    'pebble',
    ['-strict', '-config', config, '-dnsserver', `127.0.0.1:${options.dnsPort}`],
    {
      env: {
        PEBBLE_VA_NOSLEEP: '1',
        PEBBLE_WFE_NONCEREJECT: String(options.refusedNonces ?? 5),
        PEBBLE_AUTHZREUSE: '0',
      },
    },
  )
  await pebble.waitForOutput(/ACME directory available/)
  await untilListening(port)
  return {
    port,
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    apiCaPem: apiIdentity.certificatePem,
    apiIdentity,
    rootPem: () => fetchRoot(managementPort, join(dir.path, 'api.pem')),
    output: () => pebble.output(),
    [Symbol.asyncDispose]: async () => {
      await pebble.stop()
      await dir[Symbol.asyncDispose]()
    },
  }
}

function settings(dir: string, port: number, managementPort: number, options: PebbleOptions): object {
  return {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(dir, 'api.pem'),
    privateKey: join(dir, 'api.key'),
    httpPort: options.httpPort ?? 1,
    tlsPort: 1,
    ...(options.validitySeconds !== undefined && { certificateValidityPeriod: options.validitySeconds }),
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: options.externalAccounts ?? {},
  }
}

async function makeApiIdentity(dir: string): Promise<ApiIdentity> {
  const [certificate, key] = [join(dir, 'new.pem'), join(dir, 'new.key')]
  const subject = ['-subj', '/CN=pebble', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  await runProcess('openssl', ['req', '-x509', '-days', '2', ...subject, ...newKey, '-out', certificate])
  return { certificatePem: await readFile(certificate, 'utf8'), privateKeyPem: await readFile(key, 'utf8') }
}

function fetchRoot(managementPort: number, caFile: string): Promise<string> {
  return runProcess('curl', ['-sf', '--cacert', caFile, `https://127.0.0.1:${managementPort}/roots/0`])
}
