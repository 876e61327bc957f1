import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Account,
  fromSource,
  type HttpUpstream,
  type RunningProcess,
  type RunningService,
  runProcess,
  startHttpUpstream,
  startProcess,
  startService,
  startTcpRelay,
  type TcpRelay,
  type TempDir,
  tempDir,
} from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let dir: TempDir
let service: RunningService
let account: Account
let upstream: HttpUpstream
let line: TcpRelay
let agent: Supervised

const serviceProgram = fromSource('apps/service/src/main.ts')
const host = 'device.tunnel.localhost'
/** Each way: a download then takes longer than the next command. */
const lineDelayMs = 100

/** Starts the launcher again after every exit but 0, as the packaged unit does. */
class Supervised {
  readonly exitCodes: (number | null)[] = []
  readonly #launcher: string
  readonly #env: Readonly<Record<string, string>>
  #process: RunningProcess | null = null
  stopped: Promise<void> = Promise.resolve()

  constructor(launcher: string, env: Readonly<Record<string, string>>) {
    this.#launcher = launcher
    this.#env = { ...env, INVOCATION_ID: randomUUID() }
  }

  start(more: Readonly<Record<string, string>> = {}): void {
    this.stopped = this.#run({ ...this.#env, ...more })
  }

  /** What the local API answers, as soon as it answers what is wanted. */
  async until<T>(path: string, isWanted: (reply: T) => boolean, init: RequestInit = {}): Promise<T> {
    for (const deadline = performance.now() + 30_000; performance.now() < deadline; await sleep(50)) {
      const [, url = ''] = /listening local-api (\S+)/.exec(this.#process?.output() ?? '') ?? []
      const reply = await fetch(url + path, init).then(
        (response) => response.json() as T,
        () => null,
      )
      if (reply !== null && isWanted(reply)) return reply
    }
    throw new Error(`${path} never answered what was wanted:\n${this.#process?.output()}`)
  }

  async #run(env: Readonly<Record<string, string>>): Promise<void> {
    for (let code: number | null = null; code !== 0;) {
      this.#process = await startProcess(process.execPath, [this.#launcher, 'run'], { env })
      code = (await this.#process.exited).code
      this.exitCodes.push(code)
    }
  }
}

interface Status {
  readonly agent_version: string
  readonly session: { readonly state: string; readonly session_id: string | null }
  readonly update: { readonly state: string }
}

const isOnline = ({ session }: Status) => session.state === 'online'

beforeAll(async () => {
  dir = await tempDir()
  const dataDir = join(dir.path, 'service')
  const keys = join(dir.path, 'keys')
  const command = (...args: string[]) =>
    runProcess(serviceProgram.command, [...serviceProgram.args, ...args], { env: { SERVICE_DATA_DIR: dataDir } })
  const { command: node, args } = fromSource('apps/device-agent/packaging/build.ts')
  const build = (version: string) =>
    runProcess(node, [
      ...args,
      '--roots',
      join(keys, 'root.pub'),
      '--version',
      version,
      '--out',
      join(dir.path, version),
    ])

  await command('release', 'keygen', keys)
  await build('1.0.0')
  await build('1.1.0')
  await command('release', 'sign', join(dir.path, '1.1.0/agent.mjs'), '--keys', keys, '--version', '1.1.0')

  service = await startService({ dataDir })
  account = await service.createAccount()
  upstream = await startHttpUpstream()
  line = await startTcpRelay({ port: service.ports.edgeHttps }, { delayMs: lineDelayMs })
  const { token } = await account.createAuthtoken()
  agent = new Supervised(join(dir.path, '1.0.0/launcher.mjs'), {
    AGENT_STATE_DIR: join(dir.path, 'agent'),
    AGENT_API_LISTEN: '127.0.0.1:0',
    SERVICE_AUTHTOKEN: token,
    SERVICE_CONNECT_URL: `wss://connect.${service.zone}:${line.port}`,
    SERVICE_CONNECT_CA_FILE: service.caFile,
  })
  agent.start()
  await agent.until('/status', isOnline)
  await agent.until('/tunnels', () => true, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ forwards_to: `127.0.0.1:${upstream.port}`, domain: host, policy: {} }),
  })
}, 120_000)

afterAll(async () => {
  await agent.stopped
  await line[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  await dir[Symbol.asyncDispose]()
}, 60_000)

async function tell(command: 'restart' | 'stop' | 'update'): Promise<string> {
  const { session } = await agent.until('/status', isOnline)
  return account.call('POST', `/tunnel_sessions/${session.session_id}/${command}`, {}).then(
    () => 'done',
    (error: Error) => error.message,
  )
}

function visit(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const visitor = request({ port: service.ports.edgeHttp, path: '/status/204', headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    visitor.on('error', reject).end()
  })
}

describe('a device that is only reached through the API', () => {
  it('updates to a signed release, and keeps its tunnels', { timeout: 60_000 }, async () => {
    expect(await tell('update')).toMatch(/answered 400.*ERR_SERVICE_809.*: no update is available\./)
    const publish = ['release', 'publish', join(dir.path, '1.1.0/agent.mjs')]
    const env = { SERVICE_DATA_DIR: join(dir.path, 'service') }
    await runProcess(serviceProgram.command, [...serviceProgram.args, ...publish], { env })
    expect(await tell('update')).toBe('done')
    expect(await tell('update')).toMatch(/answered 400.*ERR_SERVICE_809.*: an update is in progress\./)
    const staged = await agent.until<Status>('/status', ({ update }) => update.state === 'staged')
    expect(staged.agent_version).toBe('1.0.0')
    expect(await tell('update')).toMatch(
      /answered 400.*ERR_SERVICE_809.*: an update was installed already and waits for a restart\./,
    )

    expect(await tell('restart')).toBe('done')
    const after = await agent.until<Status>('/status', (status) => isOnline(status) && status.agent_version === '1.1.0')
    expect(after.session.session_id).not.toBe(staged.session.session_id)
    expect(after.update.state).toBe('trial')
    expect(agent.exitCodes).toEqual([75])
    await expect.poll(visit, { timeout: 10_000 }).toBe(204)
  })

  it('stops for good when it is told to', { timeout: 30_000 }, async () => {
    expect(await tell('stop')).toBe('done')
    await agent.stopped
    expect(agent.exitCodes).toEqual([75, 0])
    expect(await visit()).not.toBe(204)
  })

  it('takes no update where its configuration forbids that', { timeout: 30_000 }, async () => {
    agent.start({ AGENT_UPDATE_CHECK: 'false' })
    expect(await tell('update')).toMatch(
      /answered 400.*ERR_SERVICE_809.*: update checks are disabled in the configuration of this agent\./,
    )
    expect(await tell('stop')).toBe('done')
    await agent.stopped
  })
})
