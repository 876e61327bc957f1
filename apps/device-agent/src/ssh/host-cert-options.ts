import { hostname } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { canonicalHostPrincipal } from '@tunnel/ssh-certificates'
import { ConfigError } from '../config.ts'
import type { HostCertifierOptions } from './host-certifier.ts'

const hostCertUsage = `usage: agent ssh-host-cert --ca ID [--principal NAME]... [--keys-dir DIR] [--sshd-config FILE]
                           [--on-change COMMAND] [--watch]

  --ca           id of the SSH certificate authority that signs
  --principal    host name or IP address that people type to reach this host; the host name unless given
  --keys-dir     where the host keys are (/etc/ssh)
  --sshd-config  gets the HostCertificate lines (DIR/sshd_config.d/host-certificates.conf)
  --on-change    run when something changed, such as "systemctl reload ssh"
  --watch        stay, and renew every certificate in time
`

export interface HostCertOptions extends HostCertifierOptions {
  readonly onChange: string | null
  readonly isWatching: boolean
}

/** Reads the command line. @throws ConfigError */
export function readHostCertOptions(argv: readonly string[]): HostCertOptions {
  const { ca, principal, 'keys-dir': keysDirectory, ...rest } = parse(argv)
  if (ca === undefined) throw new ConfigError(['--ca is required', hostCertUsage])
  return {
    authorityId: ca,
    principals: (principal ?? [hostname()]).map(readPrincipal),
    keysDirectory,
    sshdConfigFile: rest['sshd-config'] ?? join(keysDirectory, 'sshd_config.d', 'host-certificates.conf'),
    onChange: rest['on-change'] ?? null,
    isWatching: rest.watch,
  }
}

function parse(argv: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        ca: { type: 'string' },
        principal: { type: 'string', multiple: true },
        'keys-dir': { type: 'string', default: '/etc/ssh' },
        'sshd-config': { type: 'string' },
        'on-change': { type: 'string' },
        watch: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    throw new ConfigError([(error as Error).message, hostCertUsage])
  }
}

function readPrincipal(text: string): string {
  const read = canonicalHostPrincipal(text)
  if ('principal' in read) return read.principal
  throw new ConfigError([`--principal "${text}" is not a host name or an IP address (without a port)`])
}
