import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Received buffers die young; a small young generation frees them while they are still in the processor's cache. */
const nodeFlags = ['--max-semi-space-size=2']

const stopWithinMs = 15_000

/** A running program and the addresses that it announced as `listening NAME URL`. */
export interface RunningProgram {
  address(listener: string): string
}

/** Child programs that live and die together. */
export class ProcessGroup {
  readonly #children = new Set<ChildProcess>()
  readonly #onUnexpectedEnd: (name: string, code: number | string) => void
  #stopping: Promise<void> | undefined

  constructor(onUnexpectedEnd: (name: string, code: number | string) => void) {
    this.#onUnexpectedEnd = onUnexpectedEnd
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined
  }

  /** Starts `node ARGS` and resolves when it prints the line `ready`. Its log lines go to our standard error. */
  launch(name: string, args: string[], env: NodeJS.ProcessEnv, readyWithinMs: number): Promise<RunningProgram> {
    if (this.isStopping) return Promise.reject(new Error('Stopping.'))
    const child = spawn(process.execPath, [...nodeFlags, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#children.add(child)
    return new Promise((resolve, reject) => {
      const addresses = new Map<string, string>()
      const deadline = setTimeout(() => reject(new Error(`The ${name} was not ready in time.`)), readyWithinMs)
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [word, listener, address] = line.split(' ')
        if (word === 'listening' && listener !== undefined && address !== undefined) addresses.set(listener, address)
        if (line !== 'ready') return
        clearTimeout(deadline)
        resolve({
          address: (wanted) => addresses.get(wanted) ?? fail(`The ${name} announced no listener "${wanted}".`),
        })
      })
      child.once('exit', (code, signal) => {
        clearTimeout(deadline)
        this.#children.delete(child)
        reject(new Error(`The ${name} ended before it was ready.`))
        if (!this.isStopping) this.#onUnexpectedEnd(name, code ?? signal ?? 'unknown')
      })
    })
  }

  /** Asks every program to end, in the reverse order of their start, and ends by force what does not. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  async #stopAll(): Promise<void> {
    for (const child of [...this.#children].reverse()) await endChild(child)
  }
}

function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill('SIGKILL'), stopWithinMs)
    child.once('exit', () => {
      clearTimeout(force)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

function fail(message: string): never {
  throw new Error(message)
}
