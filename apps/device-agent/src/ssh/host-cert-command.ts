import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { formatPublicKey } from '@tunnel/ssh-certificates'
import type { ApiAccess } from '../config.ts'
import { CertificateApi } from './certificate-api.ts'
import { HostCertError } from './host-cert-error.ts'
import type { HostCertOptions } from './host-cert-options.ts'
import { type CertifiedHost, type Outcome, certifyHost } from './host-certifier.ts'
import { ManagementApi } from './management-api.ts'

const watchIntervalMs = 3_600_000
const onChangeLimitMs = 60_000
const execute = promisify(execFile)

/** Where the command tells what it did and what went wrong, line by line. */
export interface CommandOutput {
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Certifies the keys of this host, once or until `stop`, and prints what became of each. */
export async function sshHostCert(
  options: HostCertOptions,
  access: ApiAccess,
  output: CommandOutput,
  stop: AbortSignal,
): Promise<void> {
  const api = new CertificateApi(new ManagementApi(access))
  if (!options.isWatching) return certifyOnce(options, api, output)
  while (!stop.aborted) {
    // A host that is offline today still has a third of the certificate's life to try again.
    await certifyOnce(options, api, output).catch((error: unknown) => output.warn(`failed: ${String(error)}`))
    await sleep(watchIntervalMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

async function certifyOnce(options: HostCertOptions, api: CertificateApi, { print }: CommandOutput): Promise<void> {
  const host = await certifyHost(options, api, Date.now()).catch(explain)
  for (const outcome of host.outcomes) print(describe(outcome))
  if (!host.hasChanged) return
  print(knownHostsLine(host, options))
  if (options.onChange !== null) await tellSshd(options.onChange)
}

/** A file that cannot be read or written is for the operator to mend; anything else is a fault of ours. */
function explain(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException
  throw typeof code === 'string' && code.startsWith('E') ? new HostCertError(message, { cause: error }) : error
}

async function tellSshd(command: string): Promise<void> {
  await execute('/bin/sh', ['-c', command], { timeout: onChangeLimitMs }).catch((error: unknown) => {
    throw new HostCertError(`the command of --on-change failed: ${(error as Error).message}`, { cause: error })
  })
}

function describe(outcome: Outcome): string {
  if (outcome.kind === 'unusable') return `skipped ${outcome.file}: ${outcome.problem}`
  const { keyId, validBefore } = outcome.certificate
  return `${outcome.kind} ${outcome.file} ${keyId} until ${new Date(Number(validBefore) * 1000).toISOString()}`
}

/** What clients put into known_hosts, so that they trust this host without its keys. */
function knownHostsLine({ authority }: CertifiedHost, { principals }: HostCertOptions): string {
  return `@cert-authority ${principals.join()} ${formatPublicKey(authority)}`
}
