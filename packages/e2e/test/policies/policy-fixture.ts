import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Account,
  type RunningAgent,
  type RunningService,
  startAgent,
  startHttpUpstream,
  startService,
  tempDir,
} from '@tunnel/testkit'

const run = promisify(execFile)

/** What a visitor got. */
export interface Visit {
  readonly status: number
  /** Lower-case names; several values of one name are joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** 0, or what curl says of a connection that broke. */
  readonly exitCode: number
}

/** What the upstream got. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Service, agent and upstream as processes of their own, and curl to visit them. */
export class PolicyFixture implements AsyncDisposable {
  readonly #parts = new AsyncDisposableStack()
  readonly service: RunningService
  readonly account: Account
  readonly stateDir: string
  readonly authtoken: string
  readonly upstreamPort: number
  #agent: RunningAgent

  private constructor(
    parts: AsyncDisposableStack,
    made: {
      service: RunningService
      account: Account
      agent: RunningAgent
      stateDir: string
      authtoken: string
      upstreamPort: number
    },
  ) {
    this.#parts = parts
    this.service = made.service
    this.account = made.account
    this.stateDir = made.stateDir
    this.authtoken = made.authtoken
    this.upstreamPort = made.upstreamPort
    this.#agent = made.agent
  }

  /** `env` holds further variables of the service. */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<PolicyFixture> {
    const parts = new AsyncDisposableStack()
    const upstream = parts.use(await startHttpUpstream())
    const dataDir = parts.use(await tempDir()).path
    const stateDir = parts.use(await tempDir()).path
    const service = parts.use(await startService({ dataDir, env }))
    const account = await service.createAccount()
    const { token: authtoken } = await account.createAuthtoken()
    const agent = await startAgent({ stateDir, authtoken, connectUrl: service.connectUrl(), caFile: service.caFile })
    await agent.process.waitForOutput(/session online/)
    return new PolicyFixture(parts, { service, account, agent, stateDir, authtoken, upstreamPort: upstream.port })
  }

  get agent(): RunningAgent {
    return this.#agent
  }

  async restartAgent(): Promise<void> {
    await this.#agent[Symbol.asyncDispose]()
    const { service, stateDir, authtoken } = this
    this.#agent = await startAgent({ stateDir, authtoken, connectUrl: service.connectUrl(), caFile: service.caFile })
  }

  /** Creates a tunnel by curl. Without `policy` in the body the defaults apply. */
  async createTunnel(
    name: string,
    body: { policy?: unknown } = {},
  ): Promise<{ readonly domain: string; readonly reply: unknown }> {
    const domain = `${name}.${this.service.zone}`
    const tunnel = { protocol: 'http', forwards_to: `localhost:${this.upstreamPort}`, domain, ...body }
    const { stdout } = await run('curl', [
      '-sS',
      '--fail-with-body',
      '-m',
      '20',
      '-X',
      'POST',
      '-H',
      'content-type: application/json',
      '-d',
      JSON.stringify(tunnel),
      `${this.#agent.apiUrl}/tunnels`,
    ])
    return { domain, reply: JSON.parse(stdout) }
  }

  async listTunnels(): Promise<readonly { domain: string; policy: string }[]> {
    const { stdout } = await run('curl', ['-sS', '-m', '20', `${this.#agent.apiUrl}/tunnels`])
    return JSON.parse(stdout) as { domain: string; policy: string }[]
  }

  /** Visits the public address with curl, over HTTP/2 and TLS unless told otherwise. */
  visit(domain: string, path = '/', ...options: readonly string[]): Promise<Visit> {
    const { edgeHttps } = this.service.ports
    const address = ['--resolve', `${domain}:${edgeHttps}:127.0.0.1`, '--cacert', this.service.caFile]
    return runCurl(['--path-as-is', ...address, ...options, `https://${domain}:${edgeHttps}${path}`])
  }

  /** Speaks HTTP through a `tcp` tunnel. */
  visitRaw(port: number): Promise<Visit> {
    return runCurl([`http://127.0.0.1:${port}/`])
  }

  /** Visits a page that answers with what the upstream got. */
  async seenBy(
    domain: string,
    path = '/request',
    ...options: readonly string[]
  ): Promise<SeenRequest & { readonly visit: Visit }> {
    const visit = await this.visit(domain, path, ...options)
    return { ...(JSON.parse(visit.body.toString()) as SeenRequest), visit }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]()
    await this.#parts.disposeAsync()
  }
}

async function runCurl(args: readonly string[]): Promise<Visit> {
  try {
    const options = { encoding: 'buffer', maxBuffer: 16 * 1024 * 1024 } as const
    const { stdout } = await run('curl', ['-sS', '-i', '-m', '20', ...args], options)
    return { ...readReply(stdout), exitCode: 0 }
  } catch (error) {
    const { code, stdout } = error as { code: number; stdout: Buffer }
    return { ...readReply(stdout), exitCode: code }
  }
}

/** The last reply in curl's output; those before it are interim ones. */
function readReply(output: Buffer): Omit<Visit, 'exitCode'> {
  let rest = output
  let head = ''
  do {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    head = rest.subarray(0, end).toString('latin1')
    rest = rest.subarray(end + 4)
  } while (/^HTTP\/\S+ 1\d\d/.test(head))
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest }
}
