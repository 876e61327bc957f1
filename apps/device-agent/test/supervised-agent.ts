import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type ProcessExit, type RunningProcess, startProcess } from '@tunnel/testkit'
import type { UpdateState } from '../src/update/update-state.ts'
import type { StatusReply } from './agent-fixture.ts'

export interface SupervisedStatus extends StatusReply {
  readonly agent_version: string
  readonly update: { readonly state: UpdateState['phase']['kind']; readonly last: UpdateState['last'] }
}

/** Starts the launcher again as the packaged unit would: after every exit but 0 and 64. */
export class SupervisedAgent implements AsyncDisposable {
  readonly exits: ProcessExit[] = []
  readonly #env: Readonly<Record<string, string>>
  readonly #launcher: string
  readonly #node: string
  #process: RunningProcess | null = null
  #isStopping = false
  #running: Promise<void> = Promise.resolve()

  constructor(node: string, installDir: string, env: Readonly<Record<string, string>>) {
    this.#node = node
    this.#launcher = join(installDir, 'launcher.mjs')
    this.#env = { ...env, INVOCATION_ID: randomUUID(), AGENT_API_LISTEN: '127.0.0.1:0', SERVICE_AUTHTOKEN: 'cr_x_y' }
  }

  start(): void {
    this.#running = this.#supervise()
  }

  /** Settles when the supervisor leaves the agent stopped. */
  async stopped(): Promise<ProcessExit | undefined> {
    await this.#running
    return this.exits.at(-1)
  }

  signal(name: NodeJS.Signals): void {
    this.#process?.signal(name)
  }

  output(): string {
    return this.#process?.output() ?? ''
  }

  async call(path: string, init: RequestInit = {}): Promise<unknown> {
    const [, apiUrl = ''] = /listening local-api (\S+)\nready/.exec(this.output()) ?? []
    return (await fetch(`${apiUrl}${path}`, init)).json()
  }

  /** The status as soon as it fulfils the condition; times without an answer are waited out. */
  async untilStatus(condition: (status: SupervisedStatus) => boolean, limitMs = 20_000): Promise<SupervisedStatus> {
    const deadline = performance.now() + limitMs
    let last: unknown
    while (performance.now() < deadline) {
      const status = (await this.call('/status').catch(() => null)) as SupervisedStatus | null
      if (status !== null && condition(status)) return status
      last = status ?? last
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error(`status stayed ${JSON.stringify(last)}\n${this.output()}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true
    await this.#process?.stop()
    await this.#running
  }

  async #supervise(): Promise<void> {
    while (!this.#isStopping) {
      this.#process = await startProcess(this.#node, [this.#launcher, 'run'], { env: this.#env })
      const exit = await this.#process.exited
      this.exits.push(exit)
      if (exit.code === 0 || exit.code === 64) return
    }
  }
}
