import { join } from 'node:path'
import { type RunningProcess, runProcess, startProcess } from '../running-process.ts'
import { announcedListeners, listenerUrl } from './announced-listeners.ts'
import { type Account, ApiAccount } from './api-account.ts'
import { type Program, serviceProgram } from './programs.ts'

export interface ServiceOptions {
  /** Keeps its data between runs; the caller removes it. */
  readonly dataDir: string
  readonly zone?: string
  /** Ports to take again after a restart; 0 or left out means any. */
  readonly ports?: Partial<ServicePorts>
  readonly env?: Readonly<Record<string, string>>
  readonly program?: Program
  /** Takes its log, which is collected with its output otherwise. */
  readonly logFile?: string
}

export interface ServicePorts {
  readonly api: number
  readonly edgeHttp: number
  readonly edgeHttps: number
}

/** The service as a process of its own, ready for visitors and agents. */
export interface RunningService extends AsyncDisposable {
  readonly process: RunningProcess
  readonly zone: string
  readonly apiUrl: string
  readonly ports: ServicePorts
  /** Root certificate of the edge and of sessions. */
  readonly caFile: string
  /** Where agents connect: over TLS, or in plain over the HTTP port. */
  connectUrl(carrier?: 'tls' | 'plain'): string
  createAccount(email?: string): Promise<Account>
  /** Runs a command of the service on its data and returns what it printed. */
  command(...args: readonly string[]): Promise<string>
}

/** Starts the service on free ports and resolves when it is ready. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { dataDir, zone = 'tunnel.localhost', ports = {}, program = serviceProgram } = options
  const env = { ...options.env, SERVICE_DATA_DIR: dataDir, SERVICE_ZONE: zone }
  const running = await startProcess(program.command, [...program.args, 'serve'], {
    env: {
      SERVICE_API_LISTEN: `127.0.0.1:${ports.api ?? 0}`,
      SERVICE_EDGE_HTTP_LISTEN: `127.0.0.1:${ports.edgeHttp ?? 0}`,
      SERVICE_EDGE_HTTPS_LISTEN: `127.0.0.1:${ports.edgeHttps ?? 0}`,
      ...env,
    },
    stopLimitMs: 20_000,
    ...(options.logFile !== undefined && { stderrFile: options.logFile }),
  })
  const listeners = await announcedListeners(running).catch(async (error: unknown) => {
    await running.stop()
    throw error
  })
  const port = (name: string): number => Number(listenerUrl(listeners, name).port)
  const bound = { api: port('api'), edgeHttp: port('edge-http'), edgeHttps: port('edge-https') }
  const apiUrl = `http://127.0.0.1:${bound.api}`
  const command = (args: readonly string[]): Promise<string> =>
    runProcess(program.command, [...program.args, ...args], { env })
  return {
    process: running,
    zone,
    apiUrl,
    ports: bound,
    caFile: join(dataDir, 'local-ca.pem'),
    connectUrl: (carrier = 'tls') =>
      carrier === 'tls' ? `wss://connect.${zone}:${bound.edgeHttps}` : `ws://connect.${zone}:${bound.edgeHttp}`,
    command: (...args) => command(args),
    createAccount: (email = 'owner@example.com') => ApiAccount.create(apiUrl, email, command),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}
