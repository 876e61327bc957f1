import { setTimeout as sleep } from 'node:timers/promises'
import { type RunningProcess, startProcess } from '../running-process.ts'
import { announcedListeners, listenerUrl } from './announced-listeners.ts'
import { type Program, agentProgram } from './programs.ts'

const POLL_INTERVAL_MS = 20

export interface AgentOptions {
  /** Keeps its records between runs; the caller removes it. */
  readonly stateDir: string
  readonly authtoken: string
  readonly connectUrl: string
  readonly caFile: string
  /** Port of the local API to take again after a restart. */
  readonly port?: number
  readonly env?: Readonly<Record<string, string>>
  readonly program?: Program
  /** Takes its log, which is collected with its output otherwise. */
  readonly logFile?: string
}

/** One record of `/tunnels`. */
export interface TunnelRecord {
  readonly url: string
  readonly protocol: string
  readonly forwards_to: string
  readonly domain: string | null
  readonly policy: unknown
}

/** The agent as a process of its own, with its local API up. */
export interface RunningAgent extends AsyncDisposable {
  readonly process: RunningProcess
  readonly apiUrl: string
  readonly port: number
  /** Resolves when the session is up. */
  untilOnline(limitMs?: number): Promise<void>
  createTunnel(body: {
    protocol?: string
    forwards_to: string
    domain?: string
    labels?: Readonly<Record<string, string>>
    policy?: unknown
  }): Promise<TunnelRecord>
}

/** Starts the agent and resolves when its local API answers, whether or not the service can be reached. */
export async function startAgent(options: AgentOptions): Promise<RunningAgent> {
  const { program = agentProgram } = options
  const running = await startProcess(program.command, [...program.args, 'run'], {
    env: {
      SERVICE_AUTHTOKEN: options.authtoken,
      SERVICE_CONNECT_URL: options.connectUrl,
      SERVICE_CONNECT_CA_FILE: options.caFile,
      AGENT_API_LISTEN: `127.0.0.1:${options.port ?? 0}`,
      AGENT_STATE_DIR: options.stateDir,
      ...options.env,
    },
    stopLimitMs: 20_000,
    ...(options.logFile !== undefined && { stderrFile: options.logFile }),
  })
  const listeners = await announcedListeners(running).catch(async (error: unknown) => {
    await running.stop()
    throw error
  })
  const { origin: apiUrl, port } = listenerUrl(listeners, 'local-api')
  return {
    process: running,
    apiUrl,
    port: Number(port),
    untilOnline: (limitMs = 10_000) => untilOnline(apiUrl, limitMs),
    createTunnel: (body) => createTunnel(apiUrl, body),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

async function untilOnline(apiUrl: string, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const { ok } = await fetch(`${apiUrl}/readyz`)
    if (ok) return
    if (performance.now() > deadline) throw new Error(`the agent was not online within ${limitMs} ms`)
    await sleep(POLL_INTERVAL_MS)
  }
}

async function createTunnel(apiUrl: string, body: object): Promise<TunnelRecord> {
  const response = await fetch(`${apiUrl}/tunnels`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 'http', ...body }),
    signal: AbortSignal.timeout(15_000),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`POST /tunnels answered ${response.status}: ${text}`)
  return JSON.parse(text) as TunnelRecord
}
