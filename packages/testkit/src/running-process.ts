import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { CollectedOutput } from './collected-output.ts'

export interface ProcessOptions {
  /** Variables of the program beside PATH, HOME and TMPDIR; nothing else of the caller's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** How long a stop waits before it kills. */
  readonly stopLimitMs?: number
  /** Takes what it prints on standard error, which then is not part of its output: for a log that is too much to collect. */
  readonly stderrFile?: string
}

export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A program started by a test or a benchmark. Disposal stops it and waits until it is gone. */
export interface RunningProcess extends AsyncDisposable {
  readonly pid: number
  readonly exited: Promise<ProcessExit>
  /** The match of `pattern` in the output, already printed or still to come. Rejects with the output at exit or time limit. */
  waitForOutput(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>
  /** What it printed on both channels, about the last mebichar. */
  output(): string
  signal(name: NodeJS.Signals): void
  /** Sends SIGTERM, or SIGKILL when that is not obeyed in time. */
  stop(): Promise<ProcessExit>
}

/** Starts a program; rejects when it cannot be run at all. */
export async function startProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<RunningProcess> {
  await using log: FileHandle | null = options.stderrFile === undefined ? null : await open(options.stderrFile, 'a')
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', log?.fd ?? 'pipe'],
    env: { ...inheritedEnvironment(), ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
  await once(child, 'spawn')
  return new SpawnedProcess(child, options.stopLimitMs ?? 10_000)
}

/** Runs a program to its end and returns what it printed; rejects when it fails or takes longer than the limit. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions & { readonly limitMs?: number } = {},
): Promise<string> {
  await using running = await startProcess(command, args, options)
  const limit = AbortSignal.timeout(options.limitMs ?? 60_000)
  const expired = once(limit, 'abort').then(() => null)
  const exit = await Promise.race([running.exited, expired])
  if (exit?.code === 0) return running.output()
  const ending = exit === null ? 'took too long' : `ended with ${exit.signal ?? exit.code}`
  throw new Error(`${command} ${args.join(' ')} ${ending}:\n${running.output()}`)
}

function inheritedEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

class SpawnedProcess implements RunningProcess {
  readonly pid: number
  readonly exited: Promise<ProcessExit>
  readonly #child: ChildProcess
  readonly #stopLimitMs: number
  readonly #watchers = new Set<() => void>()
  readonly #output = new CollectedOutput()

  constructor(child: ChildProcess, stopLimitMs: number) {
    this.#child = child
    this.#stopLimitMs = stopLimitMs
    this.pid = child.pid ?? 0
    this.exited = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }))
    for (const channel of [child.stdout, child.stderr]) {
      channel?.setEncoding('utf8').on('data', (text: string) => this.#print(text))
    }
  }

  output(): string {
    return this.#output.text()
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  async waitForOutput(pattern: RegExp, limitMs = 15_000): Promise<RegExpExecArray> {
    const search = new RegExp(pattern, pattern.flags.replace('g', ''))
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = (): void => {
      const match = search.exec(this.output())
      if (match) resolve(match)
    }
    const fail = (why: string): void => reject(new Error(`${why} before ${pattern} was printed:\n${this.output()}`))
    const timer = setTimeout(() => fail(`${limitMs} ms passed`), limitMs)
    void this.exited.then((exit) => fail(`the program ended with ${exit.signal ?? exit.code}`))
    this.#watchers.add(look)
    look()
    return promise.finally(() => {
      clearTimeout(timer)
      this.#watchers.delete(look)
    })
  }

  async stop(): Promise<ProcessExit> {
    this.signal('SIGTERM')
    const timer = setTimeout(() => this.signal('SIGKILL'), this.#stopLimitMs)
    return this.exited.finally(() => clearTimeout(timer))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  #print(text: string): void {
    this.#output.add(text)
    for (const look of this.#watchers) look()
  }
}
