import { execFile } from 'node:child_process'

export interface SshLogin {
  readonly port: number
  readonly user: string
  /** File of the private key to log in with; a certificate beside it (`-cert.pub`) is offered too. */
  readonly identityFile: string
  readonly knownHostsFile: string
  /** What a person would type; 127.0.0.1 unless given. */
  readonly host?: string
  readonly command?: string
  /** Further `-o` options, `Name=value`. */
  readonly options?: readonly string[]
}

export interface SshLoginResult {
  readonly status: number
  readonly stdout: string
  /** What ssh says about keys and certificates; where it explains a refusal. */
  readonly stderr: string
}

/** One login by the real ssh client, which trusts nothing but `knownHostsFile` and never asks. */
export async function sshLogin(login: SshLogin): Promise<SshLoginResult> {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    'IdentitiesOnly=yes',
    'GlobalKnownHostsFile=/dev/null',
    `UserKnownHostsFile=${login.knownHostsFile}`,
    `IdentityFile=${login.identityFile}`,
    'ConnectTimeout=10',
    ...(login.options ?? []),
  ].flatMap((option) => ['-o', option])
  const target = ['-p', String(login.port), `${login.user}@${login.host ?? '127.0.0.1'}`]
  const parameters = ['-F', 'none', ...options, ...target, login.command ?? 'true']
  return new Promise((resolve) => {
    execFile('ssh', parameters, { timeout: 20_000 }, (error, stdout, stderr) => {
      const status = error ? Number(error.code ?? -1) : 0
      resolve({ status, stdout, stderr })
    })
  })
}
