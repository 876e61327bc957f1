import { fileURLToPath } from 'node:url'
import { startProcess, tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { oldestAgentNode } from './agent-nodes.ts'
import { announced, startBundle, type StartedBundle } from './bundled-agent.ts'
import { isThorough } from './thorough.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const rounds = process.env['TEST_LONG'] ? 500 : 4

const environment = (stateDir: string) => ({
  AGENT_STATE_DIR: stateDir,
  // As the packaged unit has one: most of a start is compiling.
  NODE_COMPILE_CACHE: `${stateDir}/compiled`,
  AGENT_API_LISTEN: '127.0.0.1:0',
  SERVICE_AUTHTOKEN: 'cr_x_y',
  SERVICE_CONNECT_URL: 'ws://127.0.0.1:1',
})

type Start = (stateDir: string) => Promise<StartedBundle>

const startAgent: Start = async (stateDir) =>
  announced(await startProcess(process.execPath, [program, 'run'], { env: environment(stateDir) }))

const kinds: readonly { readonly name: string; readonly start: Start }[] = [
  { name: 'an agent from source', start: startAgent },
  ...(isThorough
    ? [
        {
          name: `the bundle on ${oldestAgentNode.name}`,
          start: (dir: string) => startBundle(oldestAgentNode.path, environment(dir)),
        },
      ]
    : []),
]

/** What an outside observer knows: for each domain whether it must exist, must not, or may. */
class Acknowledged {
  readonly #known = new Map<string, boolean>()

  /** Sends a change; until its answer has come, nobody can know. */
  async change(domain: string, exists: boolean, send: () => Promise<Response>): Promise<void> {
    this.#known.delete(domain)
    const { status } = await send()
    if (status === 200) this.#known.set(domain, exists)
  }

  domains(exists: boolean): string[] {
    return [...this.#known].filter(([, known]) => known === exists).map(([domain]) => domain)
  }
}

async function churn(apiUrl: string, acknowledged: Acknowledged, worker: string): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const domain = `${worker}-${turn}.example.com`
    await acknowledged.change(domain, true, () =>
      fetch(`${apiUrl}/tunnels`, {
        method: 'POST',
        body: JSON.stringify({ forwards_to: '8001', domain, policy: {} }),
        headers: { 'content-type': 'application/json' },
      }),
    )
    if (turn % 2 === 1) {
      await acknowledged.change(domain, false, () => fetch(`${apiUrl}/tunnels/${domain}`, { method: 'DELETE' }))
    }
  }
}

async function list(apiUrl: string): Promise<string[]> {
  const records = (await (await fetch(`${apiUrl}/tunnels`)).json()) as { domain: string }[]
  return records.map(({ domain }) => domain)
}

async function clear(start: Start, stateDir: string, acknowledged: Acknowledged): Promise<void> {
  const { process: running, apiUrl } = await start(stateDir)
  for (const domain of await list(apiUrl)) {
    await acknowledged.change(domain, false, () => fetch(`${apiUrl}/tunnels/${domain}`, { method: 'DELETE' }))
  }
  await running.stop()
}

describe.each(kinds)('$name', ({ start }) => {
  it(`every acknowledged change survives kill -9, ${rounds} times`, { timeout: rounds * 10_000 }, async () => {
    await using state = await tempDir()
    const acknowledged = new Acknowledged()
    for (let round = 0; round < rounds; round += 1) {
      const { process: running, apiUrl } = await start(state.path)
      const before = await list(apiUrl)
      expect(before).toEqual(expect.arrayContaining(acknowledged.domains(true)))
      expect(before.filter((domain) => acknowledged.domains(false).includes(domain))).toEqual([])
      const workers = ['a', 'b', 'c'].map((name) =>
        churn(apiUrl, acknowledged, `${name}${round}`).catch(() => undefined),
      )
      setTimeout(() => running.signal('SIGKILL'), 20 + Math.random() * 150)
      await running.exited
      await Promise.all(workers)
      // Room for the next rounds: the number of tunnels is bounded.
      if (before.length > 500) await clear(start, state.path, acknowledged)
    }
    expect(acknowledged.domains(true).length).toBeGreaterThan(0)
  })

  it('SIGTERM ends the program with 0 and leaves no lock behind', async () => {
    await using state = await tempDir()
    const { process: running } = await start(state.path)
    expect(await running.stop()).toEqual({ code: 0, signal: null })
    const again = await start(state.path)
    expect((await again.process.stop()).code).toBe(0)
  })

  it('a second agent on one state directory is refused', async () => {
    await using state = await tempDir()
    const first = await start(state.path)
    await expect(start(state.path)).rejects.toThrow(`process ${first.process.pid}`)
    await first.process.stop()
  })
})

it('wrong configuration ends the program with 64 before it listens, naming every variable', async () => {
  const env = { AGENT_API_LISTEN: 'nonsense', AGENT_UNKNOWN: '1' }
  const running = await startProcess(process.execPath, [program], { env })
  expect((await running.exited).code).toBe(64)
  expect(running.output()).toMatch(/AGENT_UNKNOWN[^]*SERVICE_AUTHTOKEN[^]*AGENT_API_LISTEN/)
})

it('an authtoken file that cannot be read ends the program with 78', async () => {
  await using state = await tempDir()
  const env = { AGENT_STATE_DIR: state.path, SERVICE_AUTHTOKEN_FILE: `${state.path}/none` }
  const running = await startProcess(process.execPath, [program], { env })
  expect((await running.exited).code).toBe(78)
})
