import { join } from 'node:path'
import { type RunningService, fromSource, startProcess, startService, tempDir } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow, Measurement } from '../row.ts'

const CONNECT_LIMIT_MS = 240_000
const BACK_LIMIT_MS = 180_000
const PROCESSES = 4

interface Return {
  readonly lastSeconds: number
  readonly busiestSecond: number
  /** Tries that failed after the service listened again: connections turned away, greetings too late. */
  readonly failedTries: number
  readonly problems: readonly (readonly [string, number])[]
}

/** A fleet whose service is restarted, with the agent's own way of coming back. */
export const reconnect: BenchRow = fleetRow('agent-reconnect-1000', 1000, 15)
export const reconnectMany: BenchRow = fleetRow('agent-reconnect-8000', 8000, 60)

function fleetRow(name: string, agents: number, requiredSeconds: number): BenchRow {
  return {
    name,
    async measure(run): Promise<Measurement> {
      const count = run.isQuick ? agents / 10 : agents
      const returns: Return[] = []
      for (let round = 1; round <= run.rounds; round++) {
        returns.push(await measureReturn(count))
        run.note(`  ${round}. ${JSON.stringify(returns.at(-1))}`)
      }
      const of = (pick: (one: Return) => number): number => median(returns.map(pick))
      const what = `${count.toLocaleString('en')} agents after a restart of the service`
      return {
        goals: [
          {
            what: `${what}: all back`,
            value: of((one) => one.lastSeconds),
            unit: 's',
            better: 'lower',
            required: requiredSeconds,
          },
          {
            what: `${what}: share in the busiest second`,
            value: (of((one) => one.busiestSecond) / count) * 100,
            unit: '%',
            better: 'lower',
          },
          {
            what: `${what}: tries turned away`,
            value: of((one) => one.failedTries),
            unit: '',
            better: 'lower',
            required: 0,
          },
        ],
      }
    },
  }
}

async function measureReturn(count: number): Promise<Return> {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await tempDir())
  const dataDir = join(path, 'service')
  const before = await startService({ dataDir })
  const { token } = await (await before.createAccount()).createAuthtoken()
  const fleets = await Promise.all(
    Array.from({ length: PROCESSES }, async () => stack.use(await startFleet(before, token, count / PROCESSES))),
  )
  await Promise.all(fleets.map((fleet) => fleet.waitForOutput(/^connected$/m, CONNECT_LIMIT_MS)))
  await before[Symbol.asyncDispose]()
  stack.use(await startService({ dataDir, ports: before.ports }))
  for (const fleet of fleets) fleet.signal('SIGUSR2')
  const reports = await Promise.all(fleets.map((fleet) => fleet.waitForOutput(/^back (.*)$/m, BACK_LIMIT_MS)))
  return summarise(reports.map(([, json = '']) => JSON.parse(json) as FleetReport))
}

interface FleetReport {
  readonly times: readonly number[]
  readonly problems: Readonly<Record<string, number>>
}

/** Nobody listening is no failure of the service that listens again later. */
const EXPECTED_PROBLEMS = ['connection_refused', 'connection_lost', 'shutdown', 'going_away']

function summarise(reports: readonly FleetReport[]): Return {
  const times = reports.flatMap((report) => report.times).toSorted((a, b) => a - b)
  let busiestSecond = 0
  for (let first = 0, last = 0; last < times.length; last++) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= 1000) first++
    busiestSecond = Math.max(busiestSecond, last - first + 1)
  }
  const problems = reports.flatMap((report) => Object.entries(report.problems))
  const failedTries = problems.reduce((sum, [reason, n]) => (EXPECTED_PROBLEMS.includes(reason) ? sum : sum + n), 0)
  return { lastSeconds: (times.at(-1) ?? 0) / 1000, busiestSecond, failedTries, problems }
}

function startFleet(service: RunningService, token: string, count: number) {
  const { command, args } = fromSource('bench/agent/fleet-process.ts')
  return startProcess(command, [...args, service.connectUrl(), service.caFile, token, String(count)])
}
