import { readFile } from 'node:fs/promises'
import { arch, hostname, platform } from 'node:os'
import { defaultLimits, type Hello, PROTOCOL_VERSION } from '@tunnel/session-protocol'
import type { AuthtokenSource } from '../config.ts'
import { ConnectError } from './connect-error.ts'
import type { Capabilities } from './commands.ts'
import type { Identity } from './identity.ts'

interface HelloParts {
  readonly agentVersion: string
  readonly authtoken: string
  readonly metadata: string
  readonly capabilities: Capabilities
  readonly identity: Identity
  readonly bootId: string
  readonly update: Hello['update'] | null
}

const hostnameMaxBytes = 255

export function buildHello({
  agentVersion,
  authtoken,
  metadata,
  capabilities,
  identity,
  bootId,
  update,
}: HelloParts): Hello {
  return {
    type: 'hello',
    protocolVersions: [PROTOCOL_VERSION],
    authtoken,
    agentVersion,
    os: platform(),
    arch: arch(),
    hostname: Buffer.from(hostname()).subarray(0, hostnameMaxBytes).toString(),
    metadata,
    labels: {},
    capabilities,
    resume: identity.resume,
    installId: identity.installId,
    bootId,
    maxStreams: defaultLimits.maxStreams,
    ...(update && { update }),
  }
}

/** The authtoken as it is now: a file may have been replaced. @throws ConnectError `authtoken_unreadable` */
export async function readAuthtoken(source: AuthtokenSource): Promise<string> {
  if (source.kind === 'value') return source.value.reveal()
  try {
    return (await readFile(source.path, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConnectError('authtoken_unreadable', `SERVICE_AUTHTOKEN_FILE cannot be read: ${code}`)
  }
}
