import { join } from 'node:path'
import {
  type Account,
  type RunningAgent,
  type RunningService,
  startAgent,
  startService,
  tempDir,
} from '@tunnel/testkit'
import { curl, type CurlAnswer } from './curl.ts'

interface Created {
  readonly id: string
}

/** A service with an account, and as many agents as a test starts: what edges need, all of it built through the API. */
export class EdgeWorld implements AsyncDisposable {
  readonly service: RunningService
  readonly account: Account
  readonly #dir: string
  readonly #owned: AsyncDisposableStack
  #agents = 0

  private constructor(service: RunningService, account: Account, dir: string, owned: AsyncDisposableStack) {
    this.service = service
    this.account = account
    this.#dir = dir
    this.#owned = owned
  }

  static async start(): Promise<EdgeWorld> {
    await using starting = new AsyncDisposableStack()
    const { path: dir } = starting.use(await tempDir())
    const service = starting.use(await startService({ dataDir: join(dir, 'service') }))
    const account = await service.createAccount()
    return new EdgeWorld(service, account, dir, starting.move())
  }

  /** An agent that is online, stopped with everything else. */
  async startAgent(account = this.account): Promise<RunningAgent> {
    const { token: authtoken } = await account.createAuthtoken()
    const stateDir = join(this.#dir, `agent-${(this.#agents += 1)}`)
    const { caFile } = this.service
    const agent = await startAgent({ stateDir, authtoken, connectUrl: this.service.connectUrl(), caFile })
    this.#owned.use(agent)
    await agent.untilOnline()
    return agent
  }

  async create<T extends Created = Created>(path: string, body: object): Promise<T> {
    return (await this.account.call('POST', path, body)) as T
  }

  /** Reserves `label`.ZONE and publishes it as an HTTPS edge without routes. */
  async createEdge(label: string): Promise<{ readonly id: string; readonly host: string }> {
    const host = `${label}.${this.service.zone}`
    await this.create('/reserved_domains', { domain: host })
    const { id } = await this.create('/edges/https', { hostports: [`${host}:443`] })
    return { id, host }
  }

  /** As a visitor, over HTTPS with the service's root. */
  visit(host: string, path: string, ...args: readonly string[]): Promise<CurlAnswer> {
    const { ports, caFile } = this.service
    const place = ['--connect-to', `${host}:443:127.0.0.1:${ports.edgeHttps}`, '--cacert', caFile]
    return curl(`https://${host}${path}`, ...place, ...args)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync()
  }
}
