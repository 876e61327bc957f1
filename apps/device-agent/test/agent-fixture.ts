import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Agent, type AgentSurroundings, startAgent } from '../src/agent.ts'
import { readConfig } from '../src/config.ts'
import type { TunnelReply } from '../src/local-api/tunnel-wire.ts'

export interface Reply {
  readonly status: number
  /** Whatever shape a test expects of it. */
  readonly body: TunnelReply & readonly TunnelReply[] & { detail: string; problems: readonly { field: string }[] }
}

/** The JSON of `/status`, as far as tests look at it. */
export interface StatusReply {
  readonly session: { state: string; last_error: { reason: string; message: string } | null; is_clock_suspect: boolean }
  readonly tunnels: readonly { url: string; state: string; error: { reason: string } | null }[]
}

/** Starts an agent with these variables; only one in this process can have other surroundings. */
export type AgentStarter = (env: Record<string, string>, surroundings: AgentSurroundings) => Promise<Agent>

const startInThisProcess: AgentStarter = (env, surroundings) => startAgent(readConfig(env), surroundings)

/** An agent, in this process unless told otherwise, with a state directory of its own. */
export class AgentFixture implements AsyncDisposable {
  readonly stateDir: string
  readonly logLines: string[] = []
  readonly #starter: AgentStarter
  #agent: Agent | null = null

  private constructor(stateDir: string, starter: AgentStarter) {
    this.stateDir = stateDir
    this.#starter = starter
  }

  static async create(starter: AgentStarter = startInThisProcess): Promise<AgentFixture> {
    return new AgentFixture(await mkdtemp(join(tmpdir(), 'agent-')), starter)
  }

  get agent(): Agent {
    if (this.#agent === null) throw new Error('the agent does not run')
    return this.#agent
  }

  async start(env: Record<string, string> = {}, surroundings: Partial<AgentSurroundings> = {}): Promise<void> {
    const variables = {
      SERVICE_AUTHTOKEN: 'cr_x_secret-token',
      SERVICE_CONNECT_URL: 'ws://127.0.0.1:1',
      AGENT_STATE_DIR: this.stateDir,
      AGENT_API_LISTEN: '127.0.0.1:0',
      ...env,
    }
    const log = pino({ base: null }, { write: (line) => void this.logLines.push(line) })
    const hindrances = { restart: '', update: '' }
    this.#agent = await this.#starter(variables, { log, hindrances, random: () => 0, ...surroundings })
  }

  async stop(): Promise<void> {
    await this.#agent?.[Symbol.asyncDispose]()
    this.#agent = null
  }

  async call(method: string, path: string, body?: unknown): Promise<Reply> {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(`${this.agent.apiUrl}${path}`, { method, ...init })
    return { status: response.status, body: (await response.json()) as Reply['body'] }
  }

  async status(): Promise<StatusReply> {
    return (await (await fetch(`${this.agent.apiUrl}/status`)).json()) as StatusReply
  }

  /** Settles when the status fulfils a condition. */
  async untilStatus(condition: (status: StatusReply) => boolean, limitMs = 10_000): Promise<StatusReply> {
    const deadline = performance.now() + limitMs
    for (;;) {
      const status = await this.status()
      if (condition(status)) return status
      if (performance.now() > deadline) throw new Error(`status stayed ${JSON.stringify(status)}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await rm(this.stateDir, { recursive: true })
  }
}
