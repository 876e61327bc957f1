import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const logMaxChars = 1 << 18

export interface SshServerOptions {
  /** Where its configuration is written. */
  readonly directory: string
  /** Lines of sshd_config: HostKey, HostCertificate, TrustedUserCAKeys and the like. */
  readonly config: readonly string[]
}

/** A real sshd on a free loopback port. It lets the user who runs the test log in, as `config` says. */
export interface SshServer extends AsyncDisposable {
  readonly port: number
  readonly user: string
  /** What sshd logged so far. */
  log(): string
}

/** OpenSSH must be installed. Each connection gets an sshd of its own (`sshd -i`), which takes over the socket. */
export async function startSshServer({ directory, config }: SshServerOptions): Promise<SshServer> {
  const configFile = join(directory, 'sshd_config')
  // The first value of an option wins.
  await writeFile(configFile, [...config, ...basicConfig, ''].join('\n'))
  const running = new Set<Promise<unknown>>()
  let log = ''
  const listener = createServer({ pauseOnConnect: true }, (socket) => {
    const ended = serve(socket, configFile, (text) => (log = (log + text).slice(-logMaxChars)))
    running.add(ended)
    void ended.finally(() => running.delete(ended))
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    user: userInfo().username,
    log: () => log,
    async [Symbol.asyncDispose]() {
      listener.close()
      await Promise.all(running)
    },
  }
}

const basicConfig = [
  'UsePAM no',
  'StrictModes no',
  'PermitRootLogin yes',
  'PasswordAuthentication no',
  'KbdInteractiveAuthentication no',
  'AuthorizedKeysFile none',
  'LogLevel VERBOSE',
  'LoginGraceTime 10',
  'ClientAliveInterval 10',
]

async function serve(socket: Socket, configFile: string, print: (text: string) => void): Promise<void> {
  const sshd = spawn('/usr/sbin/sshd', ['-i', '-e', '-f', configFile], { stdio: [socket, socket, 'pipe'] })
  socket.destroy()
  sshd.stderr?.setEncoding('utf8').on('data', print)
  await once(sshd, 'close')
}
