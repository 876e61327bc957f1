import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type RunningAgent,
  type RunningService,
  processUsage,
  startAgent,
  startService,
  tempDir,
} from '@tunnel/testkit'
import { oldestNode } from '@tunnel/oldest-node'
import { median } from '../load/statistics.ts'
import type { BenchRow, Goal } from '../row.ts'
import { type PackagedAgent, packageAgent } from './packaged-agent.ts'

const IDLE_MS = 5000
const STREAMS = 100

interface Runtime {
  readonly name: string
  readonly path: string
  readonly idleMaxMegabytes: number
}

interface Footprint {
  readonly readyMs: number
  readonly readyCpuMs: number
  readonly idleMegabytes: number
  readonly busyMegabytes: number
}

/** The agent as devices run it: packaged, started by its launcher with the flags of the unit, connected over TLS. */
export const footprint: BenchRow = {
  name: 'agent-footprint',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const { path: dir } = stack.use(await tempDir())
    const agent = await packageAgent(join(dir, 'bundle'))
    const service = stack.use(await startService({ dataDir: join(dir, 'service') }))
    const { token } = await (await service.createAccount()).createAuthtoken()
    const goals: Goal[] = [
      { what: 'agent and launcher, bundled', value: agent.bytes / 1e6, unit: 'MB', better: 'lower', required: 1.5 },
    ]
    for (const runtime of findRuntimes()) {
      const measured: Footprint[] = []
      // The first start fills the cache of compiled code; those after it are what a device does for years.
      for (let round = 0; round <= run.rounds; round++) {
        const one = await measureOnce({ agent, runtime, service, token, dir: join(dir, runtime.name), round })
        if (round > 0) measured.push(one)
        run.note(`  ${runtime.name} ${round}. ${JSON.stringify(one)}`)
      }
      goals.push(...goalsOf(runtime, measured))
    }
    return { goals }
  },
}

/** This Node, and the oldest line that is supported. */
function findRuntimes(): readonly Runtime[] {
  const own = { name: 'Node 24', path: process.execPath, idleMaxMegabytes: 80 }
  return oldestNode === null ? [own] : [own, { name: 'Node 20', path: oldestNode, idleMaxMegabytes: 65 }]
}

function goalsOf({ name, idleMaxMegabytes }: Runtime, measured: readonly Footprint[]): readonly Goal[] {
  const of = (pick: (one: Footprint) => number): number => median(measured.map(pick))
  return [
    {
      what: `agent on ${name}: time until ready`,
      value: of((one) => one.readyMs),
      unit: 'ms',
      better: 'lower',
      required: 250,
    },
    {
      what: `agent on ${name}: CPU time until ready`,
      value: of((one) => one.readyCpuMs),
      unit: 'ms',
      better: 'lower',
    },
    {
      what: `agent on ${name}, idle: RSS`,
      value: of((one) => one.idleMegabytes),
      unit: 'MB',
      better: 'lower',
      required: idleMaxMegabytes,
    },
    {
      what: `agent on ${name}, ${STREAMS} open streams: RSS`,
      value: of((one) => one.busyMegabytes),
      unit: 'MB',
      better: 'lower',
      required: 110,
    },
  ]
}

interface Setting {
  readonly agent: PackagedAgent
  readonly runtime: Runtime
  readonly service: RunningService
  readonly token: string
  readonly dir: string
  readonly round: number
}

async function measureOnce({ agent, runtime, service, token, dir, round }: Setting): Promise<Footprint> {
  const startedAt = performance.now()
  await using running = await startAgent({
    authtoken: token,
    connectUrl: service.connectUrl(),
    caFile: service.caFile,
    stateDir: join(dir, `state-${round}`),
    program: agent.program(runtime.path),
    env: agent.env(join(dir, 'cache')),
  })
  const readyMs = performance.now() - startedAt
  const readyCpuMs = processUsage([running.process.pid]).cpuSeconds * 1000
  await running.untilOnline()
  await sleep(IDLE_MS)
  const megabytes = (): number => processUsage([running.process.pid]).rssBytes / 1e6
  const idleMegabytes = megabytes()
  await using _streams = await openStreams(running, service, `bench-${round}.${service.zone}`)
  return { readyMs, readyCpuMs, idleMegabytes, busyMegabytes: megabytes() }
}

/** Visitors that have got half of an answer and wait for the rest. */
async function openStreams(agent: RunningAgent, service: RunningService, domain: string): Promise<AsyncDisposable> {
  const held = new Set<Socket>()
  const upstream = createServer((socket) => {
    held.add(socket.on('error', () => undefined))
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n${'x'.repeat(100_000)}`))
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  await agent.createTunnel({ forwards_to: `127.0.0.1:${(upstream.address() as AddressInfo).port}`, domain })
  const visitors = Array.from({ length: STREAMS }, () => connect(service.ports.edgeHttp, '127.0.0.1'))
  await Promise.all(
    visitors.map(async (visitor) => {
      held.add(visitor)
      visitor.write(`GET / HTTP/1.1\r\nHost: ${domain}\r\n\r\n`)
      for (let bytes = 0; bytes < 100_000;) bytes += ((await once(visitor, 'data')) as [Buffer])[0].length
    }),
  )
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of held) socket.destroy()
      upstream.close()
    },
  }
}
