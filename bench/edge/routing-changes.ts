import { median } from '../load/statistics.ts'
import { type LoadResult, runWrk } from '../load/wrk.ts'
import type { BenchRow } from '../row.ts'
import { EdgeLab } from './edge-lab.ts'

// One visitor at a time: what is measured is the wait behind a change, not a queue of the load's own.
const connections = 1
const secondsMax = 2

/** What the p99 of GETs through an edge becomes while its routes are changed through the API, one change after the other. */
export const routingChanges: BenchRow = {
  name: 'edge-routing-changes',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const lab = await EdgeLab.start(stack)
    const labels = { app: 'bench' }
    await (await lab.startAgent()).createTunnel({ forwards_to: `127.0.0.1:${lab.originPort}`, labels, policy: {} })
    const target = await lab.publish('edge', await lab.create('/backends/tunnel_group', { labels }))
    const seconds = Math.min(run.seconds, secondsMax)
    const visit = (): Promise<LoadResult> => runWrk(target, { connections, seconds })
    const alone: LoadResult[] = []
    const beside: LoadResult[] = []
    let changes = 0
    await visit()
    for (let round = 0; round < run.rounds; round++) {
      alone.push(await visit())
      const stop = new AbortController()
      const changing = changeRoute(lab, target.routePath, stop.signal)
      beside.push(await visit().finally(() => stop.abort()))
      changes += await changing
    }
    const p99 = (results: readonly LoadResult[]): number => median(results.map((result) => result.p99Ms))
    const perSecond = changes / (run.rounds * seconds)
    run.note(`  ${Math.round(perSecond)} changes/s`)
    return {
      goals: [
        {
          what: 'GET through an edge while its routes are changed through the API: p99',
          value: p99(beside),
          unit: 'ms',
          better: 'lower',
          required: p99(alone) + 5,
        },
        { what: 'GET through the edge with nothing changing: p99', value: p99(alone), unit: 'ms', better: 'lower' },
        { what: 'changes of routes meanwhile', value: perSecond, unit: '/s', better: 'higher' },
      ],
    }
  },
}

/** Changes the route until told to stop; says how often. */
async function changeRoute(lab: EdgeLab, routePath: string, signal: AbortSignal): Promise<number> {
  let changes = 0
  for (; !signal.aborted; changes++) await lab.account.call('PATCH', routePath, { metadata: String(changes) })
  return changes
}
