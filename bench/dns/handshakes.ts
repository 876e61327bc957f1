import { processUsage, runProcess } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { startNameLab } from './name-lab.ts'

const secondsMax = 3

/** Full TLS 1.3 handshakes with an ECDSA certificate at the edge of a whole service, and what they cost it. */
export const handshakes: BenchRow = {
  name: 'dns-tls-handshakes',
  async measure(run) {
    await using lab = await startNameLab()
    const perCpuSecond: number[] = []
    for (let round = 0; round < run.rounds; round += 1) {
      const before = processUsage([lab.pid]).cpuSeconds
      const target = [
        '-connect',
        `127.0.0.1:${lab.edgePort}`,
        '-new',
        '-time',
        String(Math.min(run.seconds, secondsMax)),
      ]
      const report = await runProcess('openssl', ['s_time', ...target])
      const usedSeconds = processUsage([lab.pid]).cpuSeconds - before
      perCpuSecond.push(Number(/(\d+) connections in \d+ real/.exec(report)?.[1]) / usedSeconds)
    }
    return {
      goals: [
        {
          what: 'TLS 1.3 handshakes with ECDSA per second of one core, at the edge',
          value: median(perCpuSecond),
          unit: '/s',
          better: 'higher',
          required: 1_500,
        },
      ],
    }
  },
}
