import { startTcpRelay } from '@tunnel/testkit'
import type { Contender } from '../contenders/contender.ts'
import { startOpenssh } from '../contenders/openssh.ts'
import { startTunnel } from '../contenders/tunnel.ts'
import { download } from '../load/download.ts'
import type { BenchRow } from '../row.ts'
import { interleave } from './interleave.ts'
import { startOrigin } from './lab.ts'

const ROUND_TRIP_MS = 100

/** One download while the link between agent and service (ssh and sshd) has a long round trip. */
export const longLink: BenchRow = {
  name: 'session-long-link',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const { dir, originPort } = await startOrigin(stack)
    const viaLongLink = async (port: number): Promise<number> =>
      stack.use(await startTcpRelay({ port }, { delayMs: ROUND_TRIP_MS / 2 })).port
    const openssh = await startOpenssh(stack, dir, originPort, viaLongLink)
    const tls = await startTunnel(stack, dir, originPort, 'tls', viaLongLink)
    const plain = await startTunnel(stack, dir, originPort, 'plain', viaLongLink)
    const bytes = run.isQuick ? 2 ** 23 : 2 ** 28
    const sample = async (contender: Contender, round: number): Promise<{ megabytesPerSecond: number }> => {
      const { seconds } = await download(contender, `/bytes/${bytes}`)
      const megabytesPerSecond = bytes / seconds / 1e6
      run.note(`  ${round}. ${contender.name}: ${Math.round(megabytesPerSecond)} MB/s`)
      return { megabytesPerSecond }
    }
    const compared = await interleave([openssh.alone, tls, plain], run.rounds, sample)
    return {
      goals: [
        {
          what: `one stream through a relay that adds ${ROUND_TRIP_MS} ms round trip, session in TLS`,
          value: compared.of(tls).megabytesPerSecond,
          unit: 'MB/s',
          better: 'higher',
          required: 20,
          aim: 40,
        },
      ],
      sheets: [
        {
          title: `One download of ${bytes / 2 ** 20} MiB over a link with ${ROUND_TRIP_MS} ms round trip`,
          columns: ['Path', 'MB/s'],
          lines: compared.lines(({ name }, { megabytesPerSecond }) => [name, megabytesPerSecond]),
        },
      ],
    }
  },
}
