import { chmod, copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningProcess, runProcess, startProcess, freePort, untilListening } from '@tunnel/testkit'
import type { Contender } from './contender.ts'
import { startNginx } from './nginx.ts'

/** The fastest cipher of OpenSSH on machines with AES instructions; its default is slower. */
const CIPHER = 'aes128-gcm@openssh.com'

/** Remote forwarding alone, and with nginx in front: what a tunnel without a product looks like. */
export interface OpensshContenders {
  readonly alone: Contender
  readonly behindNginx: Contender
}

/** Starts sshd, one persistent ssh client and nginx. `viaPort` may put a slow link between client and server. */
export async function startOpenssh(
  stack: AsyncDisposableStack,
  dir: string,
  originPort: number,
  viaPort: (sshdPort: number) => Promise<number> = (port) => Promise.resolve(port),
): Promise<OpensshContenders> {
  const sshdPort = await freePort()
  const sshd = stack.use(await startSshd(dir, sshdPort))
  const client = stack.use(await startClient(dir, await viaPort(sshdPort), originPort))
  const [, forwarded] = await client.waitForOutput(/Allocated port (\d+) for remote forward/)
  const port = Number(forwarded)
  const nginxPort = await freePort()
  const nginx = stack.use(await startNginx(dir, nginxPort, port))
  const ssh = [sshd.pid, client.pid]
  return {
    alone: { name: 'OpenSSH -R', port, host: 'origin', processes: ssh },
    behindNginx: { name: 'nginx + OpenSSH -R', port: nginxPort, host: 'origin', processes: [...ssh, nginx.pid] },
  }
}

async function startSshd(dir: string, port: number): Promise<RunningProcess> {
  for (const name of ['host_key', 'client_key']) {
    await runProcess('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)])
  }
  await copyFile(join(dir, 'client_key.pub'), join(dir, 'authorized_keys'))
  await chmod(join(dir, 'authorized_keys'), 0o600)
  await writeFile(join(dir, 'sshd_config'), sshdConfig(dir, port))
  const sshd = await startProcess('/usr/sbin/sshd', ['-D', '-e', '-f', join(dir, 'sshd_config')])
  await untilListening(port)
  return sshd
}

function startClient(dir: string, sshdPort: number, originPort: number): Promise<RunningProcess> {
  const options = {
    BatchMode: 'yes',
    Ciphers: CIPHER,
    ExitOnForwardFailure: 'yes',
    IdentityFile: join(dir, 'client_key'),
    LogLevel: 'INFO',
    Port: String(sshdPort),
    StrictHostKeyChecking: 'no',
    UserKnownHostsFile: '/dev/null',
  }
  const asArguments = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  return startProcess('ssh', [
    '-F',
    'none',
    '-N',
    ...asArguments,
    '-R',
    `127.0.0.1:0:127.0.0.1:${originPort}`,
    '127.0.0.1',
  ])
}

function sshdConfig(dir: string, port: number): string {
  return `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${dir}/host_key
AuthorizedKeysFile ${dir}/authorized_keys
PidFile ${dir}/sshd.pid
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin prohibit-password
AllowTcpForwarding remote
`
}
