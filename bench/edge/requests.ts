import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Contender } from '../contenders/contender.ts'
import { cpuSeconds } from '../contenders/contender.ts'
import { runWrk } from '../load/wrk.ts'
import { manyBlocks } from '../policy/documents.ts'
import type { BenchRow, BenchRun } from '../row.ts'
import { interleave } from '../session/interleave.ts'
import { EdgeLab } from './edge-lab.ts'

const connections = 64
const agentCount = 8
const ruleCount = 100

/** Small GETs through an edge with all that it can have on the way, and to a fixed response, against a plain tunnel. */
export const requests: BenchRow = {
  name: 'edge-requests',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const lab = await EdgeLab.start(stack)
    const { plain, edge, fixed } = await contenders(lab)
    for (const contender of [plain, edge, fixed]) await runWrk(contender, { connections, seconds: 2 })
    const compared = await interleave([plain, edge, fixed], run.rounds, (contender, round) =>
      load(contender, run, round),
    )
    const against = (contender: Contender): number =>
      compared.of(contender).requestsPerSecond / compared.of(plain).requestsPerSecond
    const small = `small GET, ${connections} connections`
    return {
      goals: [
        {
          what: `${small}: edge, route, ${ruleCount} address rules and a group of ${agentCount} agents against a plain tunnel`,
          value: against(edge),
          unit: '×',
          better: 'higher',
          required: 0.85,
        },
        {
          what: `${small}: http_response against a plain tunnel`,
          value: against(fixed),
          unit: '×',
          better: 'higher',
          required: 1.5,
        },
        {
          what: `slowest of ${agentCount} equal agents against the mean share`,
          value: await lowestShare(lab.logFile, edge.host),
          unit: '×',
          better: 'higher',
          required: 0.8,
        },
      ],
      sheets: [
        {
          title: `Requests through edges, ${small}`,
          columns: ['Path', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request'],
          lines: compared.lines(({ name }, { requestsPerSecond, p50Ms, p99Ms, cpuMicrosPerRequest }) => [
            name,
            requestsPerSecond,
            p50Ms,
            p99Ms,
            cpuMicrosPerRequest,
          ]),
        },
      ],
    }
  },
}

/** All three behind the same service, with the same agents running. */
async function contenders(lab: EdgeLab): Promise<{ plain: Contender; edge: Contender; fixed: Contender }> {
  const forwards_to = `127.0.0.1:${lab.originPort}`
  const labels = { app: 'bench' }
  // Without any policy in the request, the agent's default one would count.
  const policy = {}
  const domain = `plain.${lab.service.zone}`
  const first = await lab.startAgent()
  await first.createTunnel({ forwards_to, domain, policy })
  await first.createTunnel({ forwards_to, labels, policy })
  for (let agent = 1; agent < agentCount; agent++)
    await (await lab.startAgent()).createTunnel({ forwards_to, labels, policy })
  const group = await lab.create('/backends/tunnel_group', { labels })
  const response = await lab.create('/backends/http_response', { body: 'Hello, World!' })
  const restriction = { ip_restriction: { ip_policy_ids: [await addressPolicy(lab)] } }
  return {
    plain: lab.contender('plain tunnel', domain),
    edge: await lab.publish('edge', group, restriction),
    fixed: await lab.publish('fixed', response),
  }
}

/** One rule lets the visitor in, all others are about somebody else. */
async function addressPolicy(lab: EdgeLab): Promise<string> {
  const ip_policy_id = await lab.create('/ip_policies', {})
  for (const cidr of ['127.0.0.0/8', ...manyBlocks(ruleCount - 1)])
    await lab.create('/ip_policy_rules', { ip_policy_id, cidr, action: 'allow' })
  return ip_policy_id
}

async function load(contender: Contender, run: BenchRun, round: number) {
  const cpuBefore = cpuSeconds(contender)
  const { requests: count, ...figures } = await runWrk(contender, { connections, seconds: run.seconds })
  const cpuMicrosPerRequest = ((cpuSeconds(contender) - cpuBefore) * 1e6) / count
  run.note(`  ${round}. ${contender.name}: ${Math.round(figures.requestsPerSecond)} requests/s`)
  return { ...figures, cpuMicrosPerRequest }
}

/** Of the requests to a host that the log names: those of the tunnel with the fewest over the mean of all. */
async function lowestShare(logFile: string, host: string): Promise<number> {
  const counts = new Map<string, number>()
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    const tunnel = line.includes(`"host":"${host}"`) ? /"tunnel":"(\w+)"/.exec(line)?.[1] : undefined
    if (tunnel !== undefined) counts.set(tunnel, (counts.get(tunnel) ?? 0) + 1)
  }
  if (counts.size !== agentCount) throw new Error(`${counts.size} tunnels got requests`)
  const shares = [...counts.values()]
  return (Math.min(...shares) * agentCount) / shares.reduce((sum, share) => sum + share, 0)
}
