import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromSource, processUsage, type Program, runProcess, startAgent, startService, tempDir } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'

const repositoryRoot = join(import.meta.dirname, '../..')
const unitFile = join(repositoryRoot, 'apps/device-agent/packaging/debian/tunnel-agent.service')
const IDLE_MS = 3000

/** The agent as devices run it: the bundle under its launcher, with the flags of the packaged unit, connected and idle. */
export const agentFootprint: BenchRow = {
  name: 'session-agent-footprint',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    await buildAgent()
    const { path: dir } = stack.use(await tempDir())
    const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
    const { token } = await (await service.createAccount()).createAuthtoken()
    const setup = {
      authtoken: token,
      connectUrl: service.connectUrl(),
      caFile: service.caFile,
      program: await packagedProgram(),
      env: { NODE_COMPILE_CACHE: join(dir, 'compile-cache') },
    }
    // The first start on a device fills the cache of compiled code.
    await startAgent({ ...setup, stateDir: join(dir, 'agent-0') }).then((agent) => agent.process.stop())
    const readyMs: number[] = []
    const idleMegabytes: number[] = []
    for (let round = 1; round <= run.rounds; round++) {
      const startedAt = performance.now()
      await using agent = await startAgent({ ...setup, stateDir: join(dir, `agent-${round}`) })
      readyMs.push(performance.now() - startedAt)
      await agent.untilOnline()
      await sleep(IDLE_MS)
      idleMegabytes.push(processUsage([agent.process.pid]).rssBytes / 1e6)
      run.note(
        `  ${round}. ready in ${Math.round(readyMs.at(-1) ?? 0)} ms, ${Math.round(idleMegabytes.at(-1) ?? 0)} MB`,
      )
    }
    return {
      goals: [
        { what: 'agent, bundled, idle: RSS', value: median(idleMegabytes), unit: 'MB', better: 'lower', required: 80 },
        {
          what: 'agent, bundled: time until ready',
          value: median(readyMs),
          unit: 'ms',
          better: 'lower',
          required: 250,
        },
      ],
    }
  },
}

/** What the unit of the Debian package starts, with this Node in place of the system's. */
async function packagedProgram(): Promise<Program> {
  const unit = await readFile(unitFile, 'utf8')
  const [, flags] = /^ExecStart=\S*\/node (.+) \S+\/launcher\.mjs run$/m.exec(unit) ?? []
  if (flags === undefined) throw new Error(`${unitFile} starts something else than the launcher`)
  return fromSource('apps/device-agent/dist/launcher.mjs', flags.split(' '))
}

async function buildAgent(): Promise<void> {
  const pnpm = join(repositoryRoot, 'node_modules/.bin/pnpm')
  await runProcess(pnpm, ['--silent', '--filter', '@tunnel/device-agent', 'run', 'build'], { cwd: repositoryRoot })
}
