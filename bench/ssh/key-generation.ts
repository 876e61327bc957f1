import type { LoadResult } from '../load/wrk.ts'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { startApiLab, makeRsaKeys } from './api-lab.ts'

// One request at a time: what is measured is the wait behind the generation, not a queue of the load's own.
const connections = 1

/** What the p99 of a GET becomes while RSA keys of 4096 bits are made one after the other. */
export const keyGeneration: BenchRow = {
  name: 'ssh-key-generation',
  async measure(run) {
    await using lab = await startApiLab()
    const read = (): Promise<LoadResult> =>
      lab.load(`/ssh_certificate_authorities/${lab.authorityId}`, { connections, seconds: run.seconds })
    const alone: LoadResult[] = []
    const beside: LoadResult[] = []
    let keys = 0
    for (let round = 0; round < run.rounds; round += 1) {
      alone.push(await read())
      const stop = new AbortController()
      const making = makeRsaKeys(lab.account, stop.signal)
      beside.push(await read().finally(() => stop.abort()))
      keys += await making
    }
    const p99 = (results: readonly LoadResult[]): number => median(results.map((result) => result.p99Ms))
    return {
      goals: [
        { what: 'GET during RSA-4096 generation: p99', value: p99(beside), unit: 'ms', better: 'lower', required: 20 },
        { what: 'GET with nothing else going on: p99', value: p99(alone), unit: 'ms', better: 'lower' },
        { what: 'RSA-4096 keys made meanwhile', value: keys, unit: 'keys', better: 'higher' },
      ],
    }
  },
}
