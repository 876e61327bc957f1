import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Contender } from '../contenders/contender.ts'
import { cpuSeconds } from '../contenders/contender.ts'
import { runWrk } from '../load/wrk.ts'
import { manyBlocks } from '../policy/documents.ts'
import type { BenchRow, BenchRun, Goal } from '../row.ts'
import { interleave } from '../session/interleave.ts'
import { EdgeLab } from './edge-lab.ts'

const connections = 64
const agentCount = 8
const ruleCount = 100
// There are many paths, and what they take differs by more than a longer run would tell.
const secondsMax = 2

/** Small GETs through an edge with all that it can have on the way, and to a fixed response, against plain tunnels. */
export const requests: BenchRow = {
  name: 'edge-requests',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const lab = await EdgeLab.start(stack)
    const paths = await startPaths(lab)
    const all = Object.values(paths)
    for (const path of all) await runWrk(path, { connections, seconds: 1, hosts: path.hosts })
    const compared = await interleave(all, run.rounds, (path, round) => load(path, lab, run, round))
    const ratio = (path: Path, to: Path): number =>
      compared.of(path).requestsPerSecond / compared.of(to).requestsPerSecond
    const { onePlain, allPlain, edgeOfOne, edgeOfAll, fixed } = paths
    const small = `small GET, ${connections} connections`
    const edge = `${small}: edge, route and ${ruleCount} address rules`
    const atLeast = (what: string, value: number, required: number): Goal => ({
      what,
      value,
      unit: '×',
      better: 'higher',
      required,
    })
    return {
      goals: [
        atLeast(`${edge} against a plain tunnel of the same agent`, ratio(edgeOfOne, onePlain), 0.85),
        atLeast(
          `${edge}, group of ${agentCount} agents, against plain tunnels of these agents in turn`,
          ratio(edgeOfAll, allPlain),
          0.85,
        ),
        atLeast(`${small}: http_response against a plain tunnel`, ratio(fixed, onePlain), 1.5),
        atLeast(
          `slowest of ${agentCount} equal agents against the mean share`,
          await lowestShare(lab.logFile, edgeOfAll.host),
          0.8,
        ),
      ],
      sheets: [
        {
          title: `Requests through edges, ${small}`,
          columns: ['Path', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs/request: service', 'agents'],
          lines: compared.lines(({ name }, { requestsPerSecond, p50Ms, p99Ms, serviceMicros, agentMicros }) => [
            name,
            requestsPerSecond,
            p50Ms,
            p99Ms,
            serviceMicros,
            agentMicros,
          ]),
        },
      ],
    }
  },
}

interface Path extends Contender {
  /** Asked for in turn. */
  readonly hosts: readonly string[]
}

/** All through the same service, with the same agents running: several sessions have smaller batches than one. */
async function startPaths(lab: EdgeLab) {
  const everywhere = { app: 'bench' }
  const alone = { site: '0' }
  const plainHosts: string[] = []
  for (let agent = 0; agent < agentCount; agent++) {
    const domain = `plain-${agent}.${lab.service.zone}`
    // Without any policy in the request, the agent's default one would count.
    const tunnel = { forwards_to: `127.0.0.1:${lab.originPort}`, policy: {} }
    const running = await lab.startAgent()
    await running.createTunnel({ ...tunnel, domain })
    await running.createTunnel({ ...tunnel, labels: { ...everywhere, site: String(agent) } })
    plainHosts.push(domain)
  }
  const restriction = { ip_restriction: { ip_policy_ids: [await addressPolicy(lab)] } }
  const group = (labels: object): Promise<string> => lab.create('/backends/tunnel_group', { labels })
  const plain = (name: string, hosts: readonly string[]): Path => ({ ...lab.contender(name, hosts[0] ?? ''), hosts })
  const edge = async (label: string, backend: string, modules?: object): Promise<Path> => {
    const contender = await lab.publish(label, backend, modules)
    return { ...contender, hosts: [contender.host] }
  }
  return {
    onePlain: plain('plain tunnel', plainHosts.slice(0, 1)),
    edgeOfOne: await edge('edge-with-one-agent', await group(alone), restriction),
    allPlain: plain('plain tunnels in turn', plainHosts),
    edgeOfAll: await edge('edge-with-a-group', await group(everywhere), restriction),
    fixed: await edge('http-response', await lab.create('/backends/http_response', { body: 'Hello, World!' })),
  }
}

/** One rule lets the visitor in, all others are about somebody else. */
async function addressPolicy(lab: EdgeLab): Promise<string> {
  const ip_policy_id = await lab.create('/ip_policies', {})
  for (const cidr of ['127.0.0.0/8', ...manyBlocks(ruleCount - 1)])
    await lab.create('/ip_policy_rules', { ip_policy_id, cidr, action: 'allow' })
  return ip_policy_id
}

async function load(path: Path, lab: EdgeLab, run: BenchRun, round: number) {
  const service = { ...path, processes: [lab.service.process.pid] }
  const before = { all: cpuSeconds(path), service: cpuSeconds(service) }
  const seconds = Math.min(run.seconds, secondsMax)
  const { requests: count, ...figures } = await runWrk(path, { connections, seconds, hosts: path.hosts })
  const serviceMicros = ((cpuSeconds(service) - before.service) * 1e6) / count
  const agentMicros = ((cpuSeconds(path) - before.all) * 1e6) / count - serviceMicros
  const perSecond = Math.round(figures.requestsPerSecond)
  run.note(`  ${round}. ${path.name}: ${perSecond} requests/s, ${Math.round(serviceMicros)} µs in the service`)
  return { ...figures, serviceMicros, agentMicros }
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
