import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Whether tests against OpenSSH can run here. Where `CI` is set they must, so its absence is an error there.
 */
export const hasOpenSsh = findOpenSsh()

/** The output of a successful `ssh-keygen`; throws with its words otherwise. */
export function sshKeygen(...parameters: readonly string[]): string {
  const { status, output } = askSshKeygen(...parameters)
  if (status !== 0) throw new Error(`ssh-keygen ${parameters.join(' ')} ended with ${status}:\n${output}`)
  return output
}

/** What `ssh-keygen` says and how it ends, for questions whose answer is its exit code. */
export function askSshKeygen(...parameters: readonly string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('ssh-keygen', parameters, { encoding: 'utf8', timeout: 20_000 })
  return { status, output: stdout + stderr }
}

function findOpenSsh(): boolean {
  const isInstalled = spawnSync('ssh', ['-V']).status === 0 && existsSync('/usr/sbin/sshd')
  if (!isInstalled && process.env['CI']) throw new Error('OpenSSH is not installed (openssh-client, openssh-server)')
  return isInstalled
}
