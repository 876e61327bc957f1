import { type Contender, cpuSeconds, memoryMegabytes } from '../contenders/contender.ts'
import { runWrk } from '../load/wrk.ts'
import type { BenchRow, BenchRun, Goal, Sheet } from '../row.ts'
import { type Comparison, interleave } from './interleave.ts'
import { startLab } from './lab.ts'

const CONNECTIONS = 64
const WARM_UP_SECONDS = 1

/** Small GETs over 64 visitor connections through every contender in turn. */
export const smallGet: BenchRow = {
  name: 'session-small-get',
  async measure(run) {
    await using lab = await startLab()
    const contenders = [lab.direct, lab.haproxy, lab.openssh.behindNginx, lab.tls, lab.plain]
    for (const contender of contenders) {
      await runWrk(contender, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS })
    }
    const compared = await interleave(contenders, run.rounds, (contender, round) => sample(contender, run, round))
    return {
      goals: goals(compared.of(lab.tls), compared.of(lab.openssh.behindNginx)),
      sheets: [sheet(compared, compared.of(lab.direct))],
    }
  },
}

type Sample = {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Of all processes between visitor and origin. */
  readonly cpuMicrosPerRequest: number
  readonly memoryMegabytes: number
}

async function sample(contender: Contender, run: BenchRun, round: number): Promise<Sample> {
  const cpuBefore = cpuSeconds(contender)
  const { requests, ...rates } = await runWrk(contender, { connections: CONNECTIONS, seconds: run.seconds })
  const cpuMicrosPerRequest = ((cpuSeconds(contender) - cpuBefore) * 1e6) / requests
  run.note(`  ${round}. ${contender.name}: ${Math.round(rates.requestsPerSecond)} requests/s, p99 ${rates.p99Ms} ms`)
  return { ...rates, cpuMicrosPerRequest, memoryMegabytes: memoryMegabytes(contender) }
}

function goals(ours: Sample, peer: Sample): Goal[] {
  const what = (figure: string): string => `small GET, 64 connections, session in TLS: ${figure}`
  return [
    {
      what: what('requests/s against nginx + OpenSSH -R'),
      value: ours.requestsPerSecond / peer.requestsPerSecond,
      unit: '×',
      better: 'higher',
      required: 0.9,
      aim: 1.3,
    },
    {
      what: what('p99 (required: below nginx + OpenSSH -R)'),
      value: ours.p99Ms,
      unit: 'ms',
      better: 'lower',
      required: peer.p99Ms,
      aim: 10,
    },
    {
      what: what('CPU per request against nginx + sshd + ssh'),
      value: ours.cpuMicrosPerRequest / peer.cpuMicrosPerRequest,
      unit: '×',
      better: 'lower',
      required: 1.4,
      aim: 1,
    },
  ]
}

function sheet(compared: Comparison<Sample>, direct: Sample): Sheet {
  return {
    title: 'Small GET over 64 connections',
    columns: ['Path', 'requests/s', 'of direct', 'p50 ms', 'p99 ms', 'CPU µs/request', 'memory MB'],
    lines: compared.lines(({ name }, figures) => [
      name,
      figures.requestsPerSecond,
      `${Math.round((figures.requestsPerSecond / direct.requestsPerSecond) * 100)} %`,
      figures.p50Ms,
      figures.p99Ms,
      figures.cpuMicrosPerRequest,
      figures.memoryMegabytes,
    ]),
  }
}
