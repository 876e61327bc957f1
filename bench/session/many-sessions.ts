import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RunningProcess,
  type RunningService,
  fromSource,
  processUsage,
  startProcess,
  startService,
  tempDir,
} from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow, BenchRun, Goal, Measurement } from '../row.ts'

const CONNECT_LIMIT_MS = 120_000
const SETTLE_MS = 5000

type Carrier = 'tls' | 'plain'

/** What an idle session costs the service in memory. */
export const idleSessions: BenchRow = {
  name: 'session-idle-memory',
  async measure(run) {
    const plain = await idleMemory('plain', run)
    const tls = await idleMemory('tls', run)
    const goal = (value: number, carrier: string, required: number, aim: number): Goal => ({
      what: `idle session in ${carrier}, RSS of the service`,
      value,
      unit: 'KB',
      better: 'lower',
      required,
      aim,
    })
    return { goals: [goal(plain, 'plain', 30, 15), goal(tls, 'TLS', 70, 50)] }
  },
}

async function idleMemory(carrier: Carrier, run: BenchRun): Promise<number> {
  const [few, many] = run.isQuick ? [50, 250] : [200, 2200]
  const perSession: number[] = []
  for (let round = 1; round <= run.rounds; round++) {
    await using stack = new AsyncDisposableStack()
    const { service, connect } = await startCrowd(stack, carrier)
    // The first sessions fill pools and caches; those after them show what one costs.
    await connect(few)
    await sleep(SETTLE_MS)
    const before = processUsage([service.process.pid]).rssBytes
    await connect(many - few)
    await sleep(SETTLE_MS)
    const after = processUsage([service.process.pid]).rssBytes
    perSession.push((after - before) / (many - few) / 1000)
    run.note(`  ${round}. ${carrier}: ${perSession.at(-1)?.toFixed(1)} KB`)
  }
  return median(perSession)
}

/** Thousands of sessions on one service process: how fast they come, and what their heartbeats cost. */
export const manySessions: BenchRow = {
  name: 'session-8000',
  async measure(run): Promise<Measurement> {
    await using stack = new AsyncDisposableStack()
    const { service, connect } = await startCrowd(stack, 'tls')
    const count = run.isQuick ? 500 : 8000
    const seconds = await connect(count)
    run.note(`  ${count} connected in ${seconds} s`)
    await sleep(SETTLE_MS)
    const { pid } = service.process
    const shares: number[] = []
    for (let round = 1; round <= run.rounds; round++) {
      const cpuBefore = processUsage([pid]).cpuSeconds
      await sleep(run.seconds * 1000)
      shares.push(((processUsage([pid]).cpuSeconds - cpuBefore) / run.seconds) * 100)
    }
    const what = `${count.toLocaleString('en')} sessions in TLS on one service process`
    return {
      goals: [
        { what: `${what}: time to connect`, value: seconds, unit: 's', better: 'lower', required: 30 },
        { what: `${what}: heartbeats, of a core`, value: median(shares), unit: '%', better: 'lower', required: 10 },
      ],
    }
  },
}

interface Crowd {
  readonly service: RunningService
  /** Adds so many idle sessions from a process of their own; resolves with the seconds that it took. */
  readonly connect: (count: number) => Promise<number>
}

async function startCrowd(stack: AsyncDisposableStack, carrier: Carrier): Promise<Crowd> {
  const { path } = stack.use(await tempDir())
  const service = stack.use(await startService({ dataDir: join(path, 'service') }))
  const { token } = await (await service.createAccount()).createAuthtoken()
  const { command, args } = fromSource('bench/swarm.ts')
  return {
    service,
    connect: async (count) => {
      const arguments_ = [...args, service.connectUrl(carrier), service.caFile, token, String(count)]
      const swarm: RunningProcess = stack.use(await startProcess(command, arguments_))
      const [, ms] = await swarm.waitForOutput(/^connected in (\d+) ms$/m, CONNECT_LIMIT_MS)
      return Number(ms) / 1000
    },
  }
}
