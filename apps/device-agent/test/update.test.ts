import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TempDir, tempDir } from '@tunnel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildBundle } from '../packaging/build-bundle.ts'
import { agentNodes } from './agent-nodes.ts'
import { FakeService, welcome } from './fake-service.ts'
import { ReleaseSource } from './release-source.ts'
import { SupervisedAgent } from './supervised-agent.ts'

const trial = { stableMs: 600, unreachedMs: 1500, startLimitMs: 1500 }
/** What takes long is tried with `TEST_LONG=1` only. */
const long = { skip: !process.env['TEST_LONG'], timeout: 30_000 }
const device = { forwards_to: '8001', domain: 'device.example.com', policy: {} }

let source: ReleaseSource
let builds: TempDir
let newBundle: Buffer

let service: FakeService
let state: TempDir
let agent: SupervisedAgent

beforeAll(async () => {
  source = new ReleaseSource()
  builds = await tempDir()
  const facts = { releaseRoots: [source.root.publicKey], trial }
  await buildBundle(join(builds.path, 'old'), { ...facts, version: '1.0.0' })
  await buildBundle(join(builds.path, 'new'), { ...facts, version: '1.1.0' })
  newBundle = await readFile(join(builds.path, 'new/agent.mjs'))
})

afterAll(() => builds[Symbol.asyncDispose]())

describe.each(agentNodes)('an agent on $name', ({ path: node }) => {
  beforeEach(async () => {
    source.files.clear()
    source.beforeBundle = async () => undefined
    service = await FakeService.start()
    service.onRequest = (request, response) => void source.answer(request, response)
    state = await tempDir()
    await startAgent()
    await createTunnel()
  })

  afterEach(async () => {
    await agent[Symbol.asyncDispose]()
    await service[Symbol.asyncDispose]()
    await state[Symbol.asyncDispose]()
  })

  async function startAgent(env: Record<string, string> = {}): Promise<void> {
    agent = new SupervisedAgent(node, join(builds.path, 'old'), {
      AGENT_STATE_DIR: state.path,
      SERVICE_CONNECT_URL: service.url,
      ...env,
    })
    agent.start()
    await agent.untilStatus(({ session }) => session.state === 'online')
  }

  async function createTunnel(): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    await agent.call('/tunnels', { method: 'POST', body: JSON.stringify(device), headers })
  }

  /** A bundle that tells its version, and is otherwise broken. */
  const broken = (body: string): Buffer =>
    Buffer.from(
      `if (process.argv[2] === 'version') console.log('agent 1.1.0 test')\nexport async function runProgram() { ${body} }`,
    )

  async function stage(bundle: Buffer): Promise<void> {
    source.publish('1.1.0', bundle)
    expect((await service.command('update', `update ${service.sessions.length}`)).error).toBeNull()
    await agent.untilStatus(({ update }) => update.state === 'staged')
  }

  async function restart(): Promise<void> {
    const before = service.sessions.length
    expect((await service.command('restart', `restart ${before}`)).error).toBeNull()
  }

  async function untilTunnelIsBack(): Promise<void> {
    await service.until(() => service.sessions.at(-1)?.binds[0]?.domain === device.domain)
    expect(await agent.call('/tunnels')).toMatchObject([{ url: `https://${device.domain}` }])
  }

  describe('commands to a supervised agent', () => {
    it('restart gives a new session, the same identity and the same tunnels', async () => {
      await restart()
      await service.untilSessions(2)
      await agent.untilStatus(({ session }) => session.state === 'online')
      await untilTunnelIsBack()
      expect(agent.exits).toEqual([{ code: 75, signal: null }])
      expect(service.latest.hello.resume).toEqual({ clientId: 'client_0', cookie: 'cookie' })
    })

    it('stop ends it with 0, and it stays stopped', async () => {
      expect((await service.command('stop')).error).toBeNull()
      expect(await agent.stopped()).toEqual({ code: 0, signal: null })
    })

    it('all four refusals of an update have their texts', { timeout: 15_000 }, async () => {
      const refusal = async (id: string) => (await service.command('update', id)).error?.message
      expect(await refusal('a')).toBe('no update is available')
      const gate = Promise.withResolvers<void>()
      source.beforeBundle = () => gate.promise
      source.publish('1.1.0', newBundle)
      expect(await refusal('b')).toBeUndefined()
      expect(await refusal('c')).toBe('an update is in progress')
      gate.resolve()
      await agent.untilStatus(({ update }) => update.state === 'staged')
      expect(await refusal('d')).toBe('an update was installed already and waits for a restart')
      await agent[Symbol.asyncDispose]()
      const sessions = service.sessions.length
      await startAgent({ AGENT_UPDATE_CHECK: 'false' })
      await service.untilSessions(sessions + 1)
      expect(await refusal('e')).toBe('update checks are disabled in the configuration of this agent')
    })
  })

  describe('an update', () => {
    it('runs after a restart, proves itself, stays, and is told of', { timeout: 15_000 }, async () => {
      await stage(newBundle)
      expect((await agent.untilStatus(() => true)).agent_version).toBe('1.0.0')
      await restart()
      const done = await agent.untilStatus(({ update }) => update.last !== null)
      expect(done).toMatchObject({
        agent_version: '1.1.0',
        update: { last: { from: '1.0.0', to: '1.1.0', result: 'updated' } },
      })
      await untilTunnelIsBack()
      await restart()
      const sessions = service.sessions.length
      await service.untilSessions(sessions + 1)
      expect(service.latest.hello).toMatchObject({ agentVersion: '1.1.0', update: { result: 'updated' } })
    })

    it('that crashes at start is rolled back, and not offered again', { timeout: 15_000 }, async () => {
      expect(await rollBackReason(`throw new Error('broken')`)).toBe('the new version did not stay up')
    })

    it.each([
      ['exits at start', 'process.exit(3)'],
      ['hangs at start', 'await new Promise((resolve) => setTimeout(resolve, 1e9))'],
      ['stands still at start', 'for (;;);'],
    ])('that %s is rolled back, and not offered again', long, async (_, body) => {
      expect(await rollBackReason(body)).toBe('the new version did not stay up')
    })

    async function rollBackReason(body: string): Promise<string | undefined> {
      await stage(broken(body))
      await restart()
      const back = await agent.untilStatus(({ update }) => update.last !== null, 25_000)
      expect(back).toMatchObject({
        agent_version: '1.0.0',
        update: { state: 'idle', last: { result: 'rolled_back', from: '1.1.0' } },
      })
      await agent.untilStatus(({ session }) => session.state === 'online')
      await untilTunnelIsBack()
      expect(service.latest.hello.update).toMatchObject({ from: '1.1.0', to: '1.0.0', result: 'rolled_back' })
      expect((await service.command('update', 'again')).error?.message).toMatch(/no update is available/)
      return back.update.last?.reason
    }

    it('is not rolled back for a lost network alone, and is kept once the service is back', long, async () => {
      await stage(newBundle)
      await restart()
      await service.crash()
      const offline = await agent.untilStatus(
        (status) => status.agent_version === '1.1.0' && status.session.state === 'waiting',
      )
      expect(offline.update).toMatchObject({ state: 'trial' })
      await new Promise((resolve) => setTimeout(resolve, trial.unreachedMs * 2))
      expect((await agent.untilStatus(() => true)).update.state).toBe('trial')
      await service.listen()
      expect((await agent.untilStatus(({ update }) => update.last !== null)).update.last?.result).toBe('updated')
    })

    it('is rolled back when the service answers others, but no session comes up', { timeout: 20_000 }, async () => {
      await stage(newBundle)
      service.script.greet = (hello, turn) => (hello.agentVersion === '1.1.0' ? null : welcome(hello, turn))
      await restart()
      const back = await agent.untilStatus(({ update }) => update.last !== null)
      expect(back).toMatchObject({ agent_version: '1.0.0', update: { last: { result: 'rolled_back' } } })
    })

    it('survives kill -9 at every step', { timeout: 60_000 }, async () => {
      const arrived = Promise.withResolvers<void>()
      source.beforeBundle = async () => arrived.resolve()
      source.publish('1.1.0', newBundle)
      await service.command('update', 'first')
      await arrived.promise
      await killAndReturn()
      expect((await agent.untilStatus(() => true)).agent_version).toBe('1.0.0')
      await stage(newBundle)
      await killAndReturn()
      const tried = await agent.untilStatus(({ agent_version: version }) => version === '1.1.0')
      expect(tried.update.state).toBe('trial')
      await killAndReturn()
      const done = await agent.untilStatus(({ update }) => update.last !== null)
      expect(done).toMatchObject({ agent_version: '1.1.0', update: { last: { result: 'updated' } } })
      await killAndReturn()
      expect((await agent.untilStatus(() => true)).agent_version).toBe('1.1.0')
      await untilTunnelIsBack()
    })
  })

  async function killAndReturn(): Promise<void> {
    const sessions = service.sessions.length
    agent.signal('SIGKILL')
    await service.untilSessions(sessions + 1)
    await agent.untilStatus(({ session }) => session.state === 'online')
  }
})
