import { type Contender, cpuSeconds } from '../contenders/contender.ts'
import { startOpenssh } from '../contenders/openssh.ts'
import { startTunnel } from '../contenders/tunnel.ts'
import { download } from '../load/download.ts'
import type { BenchRow, BenchRun } from '../row.ts'
import { interleave } from '../session/interleave.ts'
import { startOrigin } from '../session/lab.ts'

/** One download through the port of a `tcp` tunnel, where nobody between looks at the bytes. */
export const tcpBulk: BenchRow = {
  name: 'edge-tcp-bulk',
  async measure(run) {
    await using stack = new AsyncDisposableStack()
    const { dir, originPort } = await startOrigin(stack)
    const { alone: openssh } = await startOpenssh(stack, dir, originPort)
    const [tls, plain] = [await overTcp(stack, dir, originPort, 'tls'), await overTcp(stack, dir, originPort, 'plain')]
    const compared = await interleave([openssh, tls, plain], run.rounds, (contender, round) =>
      sample(contender, run, round),
    )
    return {
      goals: [
        {
          what: 'one download over a tcp tunnel, session in TLS, against OpenSSH -R',
          value: compared.of(tls).megabytesPerSecond / compared.of(openssh).megabytesPerSecond,
          unit: '×',
          better: 'higher',
          required: 0.8,
        },
      ],
      sheets: [
        {
          title: 'One download over a tcp tunnel',
          columns: ['Path', 'MB/s', 'CPU s/GB'],
          lines: compared.lines(({ name }, { megabytesPerSecond, cpuSecondsPerGigabyte }) => [
            name,
            megabytesPerSecond,
            cpuSecondsPerGigabyte,
          ]),
        },
      ],
    }
  },
}

async function overTcp(
  stack: AsyncDisposableStack,
  dir: string,
  originPort: number,
  carrier: 'tls' | 'plain',
): Promise<Contender> {
  const { agent, ...tunnel } = await startTunnel(stack, dir, originPort, carrier)
  const { url } = await agent.createTunnel({ protocol: 'tcp', forwards_to: `127.0.0.1:${originPort}` })
  return { ...tunnel, host: 'origin', port: Number(new URL(url).port) }
}

async function sample(contender: Contender, run: BenchRun, round: number) {
  const cpuBefore = cpuSeconds(contender)
  const { bytes, seconds } = await download(contender, `/bytes/${run.isQuick ? 2 ** 26 : 2 ** 29}`)
  const megabytesPerSecond = bytes / seconds / 1e6
  run.note(`  ${round}. ${contender.name}: ${Math.round(megabytesPerSecond)} MB/s`)
  return { megabytesPerSecond, cpuSecondsPerGigabyte: ((cpuSeconds(contender) - cpuBefore) * 1e9) / bytes }
}
