import { join } from 'node:path'
import { type Account, type RunningAgent, type RunningService, startAgent, startService } from '@tunnel/testkit'
import type { Contender } from '../contenders/contender.ts'
import { startOrigin } from '../session/lab.ts'

const everything = { match_type: 'path_prefix', match: '/' }

/** A service with edges in front of one origin, all of it built through the API. Processes log to files. */
export class EdgeLab {
  readonly service: RunningService
  readonly account: Account
  readonly originPort: number
  readonly logFile: string
  readonly #stack: AsyncDisposableStack
  readonly #dir: string
  readonly #agents: RunningAgent[] = []

  private constructor(
    stack: AsyncDisposableStack,
    dir: string,
    originPort: number,
    service: RunningService,
    account: Account,
  ) {
    this.#stack = stack
    this.#dir = dir
    this.originPort = originPort
    this.service = service
    this.account = account
    this.logFile = serviceLog(dir)
  }

  static async start(stack: AsyncDisposableStack): Promise<EdgeLab> {
    const { dir, originPort } = await startOrigin(stack)
    const service = stack.use(await startService({ dataDir: join(dir, 'service'), logFile: serviceLog(dir) }))
    return new EdgeLab(stack, dir, originPort, service, await service.createAccount())
  }

  /** An agent that is online, with its session in TLS. */
  async startAgent(): Promise<RunningAgent> {
    const { token: authtoken } = await this.account.createAuthtoken()
    const name = `agent-${this.#agents.length + 1}`
    const agent = await startAgent({
      stateDir: join(this.#dir, name),
      logFile: join(this.#dir, `${name}.log`),
      authtoken,
      connectUrl: this.service.connectUrl(),
      caFile: this.service.caFile,
    })
    this.#stack.use(agent)
    this.#agents.push(agent)
    await agent.untilOnline()
    return agent
  }

  async create(path: string, body: object): Promise<string> {
    return ((await this.account.call('POST', path, body)) as { id: string }).id
  }

  /** Publishes a backend under `label`.ZONE, behind one route for everything. */
  async publish(
    label: string,
    backend: string,
    modules: object = {},
  ): Promise<Contender & { readonly routePath: string }> {
    const host = `${label}.${this.service.zone}`
    await this.create('/reserved_domains', { domain: host })
    const edge = await this.create('/edges/https', { hostports: [`${host}:443`] })
    const routes = `/edges/https/${edge}/routes`
    const route = await this.create(routes, { ...everything, backend: { backend_id: backend }, ...modules })
    return { ...this.contender(label, host), routePath: `${routes}/${route}` }
  }

  contender(name: string, host: string): Contender {
    const processes = [this.service, ...this.#agents].map((running) => running.process.pid)
    return { name, host, port: this.service.ports.edgeHttp, processes }
  }
}

function serviceLog(dir: string): string {
  return join(dir, 'service.log')
}
