import { processUsage, runProcess } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { type NameLab, startNameLab } from './name-lab.ts'

const secondsMax = 3
/** Enough to keep the service busy: what an idle process pays to wake up is no part of a handshake. */
const clients = 4

/** Full TLS 1.3 handshakes with an ECDSA certificate at the edge of a whole service, and what they cost it. */
export const handshakes: BenchRow = {
  name: 'dns-tls-handshakes',
  async measure(run) {
    await using lab = await startNameLab()
    const seconds = Math.min(run.seconds, secondsMax)
    // The first are made by code that is not compiled yet.
    await shakeHands(lab, secondsMax)
    const perCpuSecond: number[] = []
    for (let round = 0; round < run.rounds; round += 1) {
      const before = processUsage([lab.pid]).cpuSeconds
      const count = await shakeHands(lab, seconds)
      perCpuSecond.push(count / (processUsage([lab.pid]).cpuSeconds - before))
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

/** Handshakes by several clients at once, each of its own one after another; how many they made. */
async function shakeHands({ edgePort }: NameLab, seconds: number): Promise<number> {
  const words = ['s_time', '-connect', `127.0.0.1:${edgePort}`, '-new', '-tls1_3', '-time', String(seconds)]
  const reports = await Promise.all(Array.from({ length: clients }, () => runProcess('openssl', words)))
  return reports.reduce((sum, report) => sum + Number(/(\d+) connections in \d+ real/.exec(report)?.[1]), 0)
}
