import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromSource, processUsage, runProcess, startAgent, startService, tempDir } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'

const repositoryRoot = join(import.meta.dirname, '../..')
const IDLE_MS = 3000

/** The agent as devices run it: one bundled file, connected, with nothing to do. */
export const agentFootprint: BenchRow = {
  name: 'session-agent-footprint',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    await buildAgent()
    const { path: dir } = stack.use(await tempDir())
    const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
    const { token } = await (await service.createAccount()).createAuthtoken()
    const setup = { authtoken: token, connectUrl: service.connectUrl(), caFile: service.caFile }
    const readyMs: number[] = []
    const idleMegabytes: number[] = []
    for (let round = 1; round <= run.rounds; round++) {
      const startedAt = performance.now()
      const program = fromSource('apps/device-agent/dist/agent.mjs')
      await using agent = await startAgent({ ...setup, stateDir: join(dir, `agent-${round}`), program })
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

async function buildAgent(): Promise<void> {
  const pnpm = join(repositoryRoot, 'node_modules/.bin/pnpm')
  await runProcess(pnpm, ['--silent', '--filter', '@tunnel/device-agent', 'run', 'build'], { cwd: repositoryRoot })
}
