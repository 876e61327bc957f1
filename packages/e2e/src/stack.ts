import { join } from 'node:path'
import {
  type Account,
  type HttpUpstream,
  type RunningAgent,
  type RunningService,
  startAgent,
  startHttpUpstream,
  startService,
  tempDir,
} from '@tunnel/testkit'

export interface StackOptions {
  readonly carrier?: 'tls' | 'plain'
  /** Variables of the service. */
  readonly serviceEnv?: Readonly<Record<string, string>>
  /** Variables of the agent. */
  readonly agentEnv?: Readonly<Record<string, string>>
  /** Puts something between agent and service: gets the service's port, answers the port to use instead. */
  readonly viaPort?: (servicePort: number) => Promise<number>
}

interface AgentSetup {
  readonly stateDir: string
  readonly authtoken: string
  readonly connectUrl: string
  readonly caFile: string
  readonly env: Readonly<Record<string, string>>
}

/** A service, one agent and a program behind it, with data of their own: all that a test needs to act as visitor or operator. */
export class Stack implements AsyncDisposable {
  readonly account: Account
  readonly upstream: HttpUpstream
  readonly serviceDataDir: string
  readonly agentSetup: AgentSetup
  readonly #serviceEnv: Readonly<Record<string, string>>
  service: RunningService
  agent: RunningAgent
  readonly #owned: AsyncDisposableStack

  private constructor(parts: Parts) {
    this.account = parts.account
    this.upstream = parts.upstream
    this.serviceDataDir = parts.serviceDataDir
    this.agentSetup = parts.agentSetup
    this.#serviceEnv = parts.serviceEnv
    this.service = parts.service
    this.agent = parts.agent
    this.#owned = parts.owned
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    await using starting = new AsyncDisposableStack()
    const { path: dir } = starting.use(await tempDir())
    const upstream = starting.use(await startHttpUpstream())
    const serviceDataDir = join(dir, 'service')
    const { serviceEnv = {} } = options
    const service = starting.use(await startService({ dataDir: serviceDataDir, env: serviceEnv }))
    const account = await service.createAccount()
    const { token: authtoken } = await account.createAuthtoken()
    const agentSetup = {
      stateDir: join(dir, 'agent'),
      authtoken,
      connectUrl: await connectUrlOf(service, options),
      caFile: service.caFile,
      env: options.agentEnv ?? {},
    }
    const agent = await startAgent(agentSetup)
    await agent.untilOnline()
    const owned = starting.move()
    return new Stack({ account, upstream, serviceDataDir, serviceEnv, agentSetup, service, agent, owned })
  }

  /** Publishes the upstream, or a program on another port, as `label`.ZONE and returns that host. */
  async publish(label: string, port = this.upstream.port): Promise<string> {
    const domain = `${label}.${this.service.zone}`
    await this.agent.createTunnel({ forwards_to: `127.0.0.1:${port}`, domain })
    return domain
  }

  httpUrl(host: string, path = '/'): string {
    return `http://${host}:${this.service.ports.edgeHttp}${path}`
  }

  httpsUrl(host: string, path = '/'): string {
    return `https://${host}:${this.service.ports.edgeHttps}${path}`
  }

  /** Stops the service, if it still runs, and starts it again on its ports and data. */
  async restartService(): Promise<void> {
    const { ports } = this.service
    await this.service[Symbol.asyncDispose]()
    this.service = await startService({ dataDir: this.serviceDataDir, ports, env: this.#serviceEnv })
  }

  /** Stops the agent, if it still runs, and starts it again on its port and records. */
  async restartAgent(): Promise<void> {
    const { port } = this.agent
    await this.agent[Symbol.asyncDispose]()
    this.agent = await startAgent({ ...this.agentSetup, port })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent[Symbol.asyncDispose]()
    await this.service[Symbol.asyncDispose]()
    await this.#owned.disposeAsync()
  }
}

interface Parts {
  readonly account: Account
  readonly upstream: HttpUpstream
  readonly serviceDataDir: string
  readonly serviceEnv: Readonly<Record<string, string>>
  readonly agentSetup: AgentSetup
  readonly service: RunningService
  readonly agent: RunningAgent
  readonly owned: AsyncDisposableStack
}

async function connectUrlOf(service: RunningService, { carrier, viaPort }: StackOptions): Promise<string> {
  const url = new URL(service.connectUrl(carrier))
  if (viaPort) url.port = String(await viaPort(Number(url.port)))
  return url.href
}
