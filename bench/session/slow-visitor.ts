import { setTimeout as sleep } from 'node:timers/promises'
import { processUsage } from '@tunnel/testkit'
import type { TunnelContender } from '../contenders/tunnel.ts'
import { startTunnel } from '../contenders/tunnel.ts'
import { visitSlowly } from '../load/slow-visitor.ts'
import { runWrk } from '../load/wrk.ts'
import type { BenchRow, Goal } from '../row.ts'
import { startOrigin } from './lab.ts'

const BODY_BYTES = 10 * 2 ** 30
const SAMPLE_INTERVAL_MS = 50
const SETTLE_MS = 2000

/** Memory of both sides while the upstream could send far faster than the visitor reads. */
export const slowVisitor: BenchRow = {
  name: 'session-slow-visitor',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const { dir, originPort } = await startOrigin(stack)
    const tunnel = await startTunnel(stack, dir, originPort, 'tls')
    await runWrk(tunnel, { connections: 8, seconds: 1 })
    await sleep(SETTLE_MS)
    const before = memoryOf(tunnel)
    const [peak, taken] = await Promise.all([
      peakMemory(tunnel, run.seconds),
      visitSlowly(tunnel, `/bytes/${BODY_BYTES}`, { seconds: run.seconds, pauseMs: 20 }),
    ])
    if (taken === 0) throw new Error('the slow visitor got nothing')
    run.note(`  the visitor took ${Math.round(taken / 1e6)} MB`)
    const goal = (side: 'service' | 'agent'): Goal => ({
      what: `slow visitor, 10 GiB upstream body: extra RSS of the ${side}`,
      value: (peak[side] - before[side]) / 1e6,
      unit: 'MB',
      better: 'lower',
      required: 16,
      aim: 4,
    })
    return { goals: [goal('service'), goal('agent')] }
  },
}

interface BothSides {
  readonly service: number
  readonly agent: number
}

function memoryOf({ service, agent }: TunnelContender): BothSides {
  return { service: processUsage([service.process.pid]).rssBytes, agent: processUsage([agent.process.pid]).rssBytes }
}

async function peakMemory(tunnel: TunnelContender, seconds: number): Promise<BothSides> {
  let peak = memoryOf(tunnel)
  const deadline = performance.now() + seconds * 1000
  while (performance.now() < deadline) {
    await sleep(SAMPLE_INTERVAL_MS)
    const now = memoryOf(tunnel)
    peak = { service: Math.max(peak.service, now.service), agent: Math.max(peak.agent, now.agent) }
  }
  return peak
}
