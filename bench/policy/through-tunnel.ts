import type { Contender } from '../contenders/contender.ts'
import { startTunnel } from '../contenders/tunnel.ts'
import { runWrk } from '../load/wrk.ts'
import type { BenchRow } from '../row.ts'
import { interleave } from '../session/interleave.ts'
import { startOrigin } from '../session/lab.ts'
import { policyOf } from './documents.ts'

const connections = 64
const warmUpSeconds = 3

/** What a policy costs the visitors of a tunnel: two tunnels of one agent, in turn. */
export const throughTunnel: BenchRow = {
  name: 'policy-through-tunnel',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const { dir, originPort } = await startOrigin(stack)
    const ours = await startTunnel(stack, dir, originPort, 'plain')
    const publish = async (label: string, policy: object): Promise<Contender> => {
      const host = `${label}.${ours.service.zone}`
      await ours.agent.createTunnel({ forwards_to: `127.0.0.1:${originPort}`, domain: host, policy })
      return { ...ours, name: label, host }
    }
    // Without any policy in the request, the agent's default one would count.
    const without = await publish('no-rules', {})
    const withPolicy = await publish('five-rules', policyOf(5))
    for (const contender of [without, withPolicy]) await runWrk(contender, { connections, seconds: warmUpSeconds })
    const compared = await interleave([without, withPolicy], run.rounds, async (contender, round) => {
      const { requestsPerSecond } = await runWrk(contender, { connections, seconds: run.seconds })
      run.note(`  ${round}. ${contender.name}: ${Math.round(requestsPerSecond)} requests/s`)
      return { requestsPerSecond }
    })
    const value = compared.of(withPolicy).requestsPerSecond / compared.of(without).requestsPerSecond
    const what = 'small GET, 64 connections: requests/s with a policy of 5 rules against none'
    return { goals: [{ what, value, unit: '×', better: 'higher', required: 0.85, aim: 0.95 }] }
  },
}
