import { median, percentile } from '../load/statistics.ts'
import type { BenchRow, BenchRun } from '../row.ts'
import { type RoutesInMemory, routesInMemory } from './routes-in-memory.ts'

const edgeCount = 10_000
const path = '/api/v1/items'

/** What finding the route of a request costs, and what 100,000 changes of routes do to it, without a network. */
export const lookup: BenchRow = {
  name: 'edge-lookup',
  async measure(run) {
    const routes = await routesInMemory(edgeCount)
    const names = routes.hosts.length.toLocaleString('en')
    const perLookup = medianLookup(run, routes)
    const { changeMicros, lookupP99Micros } = await changeRoutes(routes, run.isQuick ? 5_000 : 100_000)
    const what = `${edgeCount.toLocaleString('en')} edges with ${names} reserved domains`
    return {
      goals: [
        { what: `route look-up, ${what}`, value: perLookup, unit: 'µs', better: 'lower', required: 2 },
        { what: `taking over one change, ${what}`, value: changeMicros, unit: 'µs', better: 'lower', required: 50 },
        {
          what: 'first look-up after a change, p99',
          value: lookupP99Micros,
          unit: 'µs',
          better: 'lower',
          required: 100,
        },
      ],
    }
  },
}

/** Microseconds of processor time per look-up of any of the names in turn, after each was asked for once. */
function medianLookup(run: BenchRun, { edges, hosts }: RoutesInMemory): number {
  const inTurn = (): number => {
    const before = process.threadCpuUsage()
    for (const host of hosts)
      if (edges.find(host)?.route(path).kind !== 'route') throw new Error(`no route for ${host}`)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / hosts.length
  }
  inTurn()
  return median(Array.from({ length: run.rounds }, inTurn))
}

async function changeRoutes(
  { edges, hosts, change }: RoutesInMemory,
  count: number,
): Promise<{ changeMicros: number; lookupP99Micros: number }> {
  const lookups: number[] = []
  let changing = 0
  for (let i = 0; i < count; i++) {
    const begun = performance.now()
    await change(i % edgeCount)
    const changed = performance.now()
    edges.find(hosts[(i * 7) % hosts.length] ?? '')?.route(path)
    changing += changed - begun
    lookups.push((performance.now() - changed) * 1000)
  }
  return { changeMicros: (changing / count) * 1000, lookupP99Micros: percentile(lookups, 0.99) }
}
