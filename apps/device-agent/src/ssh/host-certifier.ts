import { readFile } from 'node:fs/promises'
import { type DecodedCertificate, type SshPublicKey, decodeCertificate, isSignedBy } from '@tunnel/ssh-certificates'
import { replaceFile } from '../store/synced-write.ts'
import type { CertificateApi } from './certificate-api.ts'
import { HostCertError } from './host-cert-error.ts'
import { type HostKey, type UnusableHostKey, readHostKeys } from './host-keys.ts'

const certificateMode = 0o644

export interface HostCertifierOptions {
  readonly authorityId: string
  /** In canonical form. */
  readonly principals: readonly string[]
  readonly keysDirectory: string
  /** Gets the HostCertificate lines. */
  readonly sshdConfigFile: string
}

/** What became of one key. */
export type Outcome =
  | { readonly kind: 'kept' | 'issued'; readonly file: string; readonly certificate: DecodedCertificate }
  | ({ readonly kind: 'unusable' } & UnusableHostKey)

export interface CertifiedHost {
  readonly authority: SshPublicKey
  readonly outcomes: readonly Outcome[]
  /** Whether sshd has to read its files again. */
  readonly hasChanged: boolean
}

/**
 * Brings the certificates of all host keys up to date, and the configuration lines that name them. A certificate is
 * kept while it says what is wanted and a third of its life lies ahead.
 */
export async function certifyHost(
  options: HostCertifierOptions,
  api: CertificateApi,
  now: number,
): Promise<CertifiedHost> {
  const authority = await api.authorityKey(options.authorityId)
  const keys = await readHostKeys(options.keysDirectory)
  if (keys.length === 0) throw new HostCertError(`there is no ssh_host_*_key.pub in ${options.keysDirectory}`)
  const outcomes: Outcome[] = []
  for (const key of keys) outcomes.push(await certifyKey(key, authority, options, api, now))
  const files = outcomes.flatMap((outcome) => (outcome.kind === 'unusable' ? [] : [outcome.file]))
  const lines = files.map((file) => `HostCertificate ${file}\n`).join('')
  const hasNewLines = await replaceFile(options.sshdConfigFile, lines, certificateMode)
  return { authority, outcomes, hasChanged: hasNewLines || outcomes.some(({ kind }) => kind === 'issued') }
}

async function certifyKey(
  hostKey: HostKey | UnusableHostKey,
  authority: SshPublicKey,
  { authorityId, principals }: HostCertifierOptions,
  api: CertificateApi,
  now: number,
): Promise<Outcome> {
  if ('problem' in hostKey) return { kind: 'unusable', ...hostKey }
  const { key, line, certificateFile: file } = hostKey
  const wanted = { key, authority, principals }
  const present = await readCertificate(file)
  if (present && says(present, wanted) && isFresh(present, now)) return { kind: 'kept', file, certificate: present }
  const issued = await api.certify({ authorityId, publicKey: line, principals, description: `host key ${file}` })
  if (!says(issued.decoded, wanted))
    throw new HostCertError(`the API gave another certificate than was asked for ${file}`)
  await replaceFile(file, `${issued.line}\n`, certificateMode)
  return { kind: 'issued', file, certificate: issued.decoded }
}

/** Undefined for a file that does not exist or holds anything else: it is then made anew. */
async function readCertificate(file: string): Promise<DecodedCertificate | undefined> {
  try {
    return decodeCertificate(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

interface Wanted {
  readonly key: SshPublicKey
  readonly authority: SshPublicKey
  readonly principals: readonly string[]
}

function says(certificate: DecodedCertificate, { key, authority, principals }: Wanted): boolean {
  return (
    certificate.type === 'host' &&
    certificate.publicKey.blob.equals(key.blob) &&
    certificate.principals.join() === principals.join() &&
    isSignedBy(certificate, authority)
  )
}

function isFresh({ validAfter, validBefore }: DecodedCertificate, now: number): boolean {
  const thirdOfLife = (validBefore - validAfter) / 3n
  return BigInt(Math.floor(now / 1000)) < validBefore - thirdOfLife
}
