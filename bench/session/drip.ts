import type { Contender } from '../contenders/contender.ts'
import { dripDelays } from '../load/drip.ts'
import { percentile } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { interleave } from './interleave.ts'
import { startLab } from './lab.ts'

const TYPES = ['text/event-stream', 'text/plain', 'application/json', 'application/octet-stream']
const INTERVAL_MS = 10

/** How long the chunks of slowly written answers are under way, whatever their content type. */
export const drip: BenchRow = {
  name: 'session-drip',
  async measure(run) {
    await using lab = await startLab()
    const contenders = [lab.direct, lab.openssh.behindNginx, lab.tls, lab.plain]
    const count = run.isQuick ? 20 : 300
    const sample = async (contender: Contender): Promise<{ p50Ms: number; p99Ms: number }> => {
      const requests = TYPES.map((type) => dripDelays(contender, { type, count, intervalMs: INTERVAL_MS }))
      const delays = (await Promise.all(requests)).flat()
      return { p50Ms: percentile(delays, 0.5), p99Ms: percentile(delays, 0.99) }
    }
    const compared = await interleave(contenders, run.rounds, sample)
    return {
      goals: [
        {
          what: 'every chunk of a drip, session in TLS, p99',
          value: compared.of(lab.tls).p99Ms,
          unit: 'ms',
          better: 'lower',
          required: 5,
        },
      ],
      sheets: [
        {
          title: `Delay of a chunk, one written every ${INTERVAL_MS} ms as ${TYPES.join(', ')}`,
          columns: ['Path', 'p50 ms', 'p99 ms'],
          lines: compared.lines(({ name }, { p50Ms, p99Ms }) => [name, p50Ms, p99Ms]),
        },
      ],
    }
  },
}
