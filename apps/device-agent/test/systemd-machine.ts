import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProcess, runProcess, startProcess, type TempDir, tempDir } from '@tunnel/testkit'

const isolation = ['--mount', '--pid', '--fork', '--uts', '--ipc', '--cgroup', '--kill-child']

/** Whether this machine lets us make namespaces and has systemd: a container mostly does not. */
export async function canBootSystemd(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/lib/systemd/systemd')) return false
  return runProcess('unshare', [...isolation, 'mount', '--make-rprivate', '/']).then(
    () => true,
    () => false,
  )
}

/** A booted systemd with the file tree, the network and the programs of this machine; nothing of it is left afterwards. */
export class SystemdMachine implements AsyncDisposable {
  readonly #dir: TempDir
  readonly #process: RunningProcess
  readonly #pid: number

  private constructor(dir: TempDir, running: RunningProcess, pid: number) {
    this.#dir = dir
    this.#process = running
    this.#pid = pid
  }

  /** With `node` as its `/usr/bin/node`, and a package at `/mnt/agent.deb`. */
  static async boot(node: string, packagePath: string): Promise<SystemdMachine> {
    const dir = await tempDir()
    const script = join(import.meta.dirname, 'systemd-machine.sh')
    const running = await startProcess('unshare', [...isolation, 'sh', script, dir.path, node, packagePath])
    const machine = new SystemdMachine(dir, running, await firstChild(running.pid))
    await machine.until('systemctl is-system-running', /running|degraded/)
    return machine
  }

  /** Runs a shell command inside and returns what it prints; what fails inside fails here. */
  run(command: string): Promise<string> {
    return runProcess('nsenter', [`--target=${this.#pid}`, ...inside, 'sh', '-ec', command])
  }

  /** What a command prints, as soon as it fits. */
  async until(command: string, wanted: RegExp, limitMs = 20_000): Promise<string> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const printed = await this.run(`${command} || true`).catch(String)
      if (wanted.test(printed)) return printed
      if (performance.now() > deadline) throw new Error(`${command} still prints ${printed}\n${this.#process.output()}`)
      await sleep(100)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.signal('SIGKILL')
    await this.#process.exited
    await this.#dir[Symbol.asyncDispose]()
  }
}

const inside = ['--mount', '--uts', '--ipc', '--pid', '--cgroup', '--root', '--wd', '--']

async function firstChild(pid: number): Promise<number> {
  for (const deadline = performance.now() + 5000; performance.now() < deadline; await sleep(20)) {
    const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    const child = Number.parseInt(text, 10)
    if (child > 0 && (await readdir(`/proc/${child}`).catch(() => [])).length > 0) return child
  }
  throw new Error('systemd did not start')
}
