import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SshServer, sshKeygen, startSshServer, tempDir } from '@tunnel/testkit'

/** The name that the guide gives to its device. */
export const deviceName = 'pi-7.tunnel.example.com'

/** A device with a real sshd, and somebody's machine with a real ssh, each with directories of its own. */
export interface Fleet extends AsyncDisposable {
  /** Stands for `/etc/ssh` of the device. */
  readonly deviceDir: string
  /** Stands for `~/.ssh` of the person. */
  readonly clientDir: string
  readonly sshd: SshServer
  /** Appends to the person's `config`, before what is there. */
  setRoute(lines: readonly string[]): void
}

/** The device has three host keys; the person may log in with a plain key, and trusts no host. */
export async function startFleet(): Promise<Fleet> {
  const directory = await tempDir()
  const deviceDir = join(directory.path, 'device')
  const clientDir = join(directory.path, 'client')
  mkdirSync(join(deviceDir, 'sshd_config.d'), { recursive: true })
  mkdirSync(clientDir, { mode: 0o700 })
  for (const type of ['ed25519', 'ecdsa', 'rsa']) makeKey(type, join(deviceDir, `ssh_host_${type}_key`))
  makeKey('ed25519', join(clientDir, 'id_ed25519'))
  writeFileSync(join(deviceDir, 'authorized_keys'), readFileSync(join(clientDir, 'id_ed25519.pub')))
  const hostKeys = ['ed25519', 'ecdsa', 'rsa'].map((type) => `HostKey ${deviceDir}/ssh_host_${type}_key`)
  const sshd = await startSshServer({
    directory: directory.path,
    config: [
      ...hostKeys,
      `Include ${deviceDir}/sshd_config.d/*.conf`,
      `AuthorizedKeysFile ${deviceDir}/authorized_keys`,
    ],
  })
  const configFile = join(clientDir, 'config')
  const client = [
    `IdentityFile ${clientDir}/id_ed25519`,
    `UserKnownHostsFile ${clientDir}/known_hosts`,
    'GlobalKnownHostsFile /dev/null',
    'IdentitiesOnly yes',
    'BatchMode yes',
  ]
  writeFileSync(configFile, `${client.join('\n')}\n`)
  return {
    deviceDir,
    clientDir,
    sshd,
    setRoute: (lines) => appendFileSync(configFile, `${lines.join('\n')}\n`),
    [Symbol.asyncDispose]: async () => {
      await sshd[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

function makeKey(type: string, file: string): void {
  sshKeygen('-q', '-t', type, ...(type === 'rsa' ? ['-b', '2048'] : []), '-N', '', '-f', file)
}
