import { type Contender, cpuSeconds, memoryMegabytes } from '../contenders/contender.ts'
import { download } from '../load/download.ts'
import type { BenchRow, BenchRun } from '../row.ts'
import { interleave } from './interleave.ts'
import { startLab } from './lab.ts'

const PARALLEL = 10

/** One large download, then ten at once, through every contender in turn. */
export const downloads: BenchRow = {
  name: 'session-downloads',
  async measure(run) {
    await using lab = await startLab()
    const contenders = [lab.direct, lab.haproxy, lab.openssh.behindNginx, lab.openssh.alone, lab.tls, lab.plain]
    const compared = await interleave(contenders, run.rounds, (contender, round) => sample(contender, run, round))
    return {
      goals: [
        {
          what: 'one 1 GiB download, session in TLS, against OpenSSH -R',
          value: compared.of(lab.tls).oneMegabytesPerSecond / compared.of(lab.openssh.alone).oneMegabytesPerSecond,
          unit: '×',
          better: 'higher',
          required: 0.8,
          aim: 1.2,
        },
        {
          what: 'ten parallel downloads, session in TLS: slowest / fastest',
          value: compared.of(lab.tls).fairness,
          unit: '×',
          better: 'higher',
          required: 0.8,
        },
      ],
      sheets: [
        {
          title: 'Downloads: one of 1 GiB, ten of 128 MiB',
          columns: ['Path', 'one MB/s', 'CPU s/GB', 'ten MB/s', 'slowest / fastest', 'memory MB'],
          lines: compared.lines(({ name }, figures) => [
            name,
            figures.oneMegabytesPerSecond,
            figures.cpuSecondsPerGigabyte,
            figures.tenMegabytesPerSecond,
            figures.fairness,
            figures.memoryMegabytes,
          ]),
        },
      ],
    }
  },
}

type Sample = {
  readonly oneMegabytesPerSecond: number
  /** Of all processes between visitor and origin, during the one download. */
  readonly cpuSecondsPerGigabyte: number
  readonly tenMegabytesPerSecond: number
  /** Rate of the slowest of ten parallel downloads over that of the fastest. */
  readonly fairness: number
  readonly memoryMegabytes: number
}

async function sample(contender: Contender, run: BenchRun, round: number): Promise<Sample> {
  const [oneBytes, eachBytes] = run.isQuick ? [2 ** 26, 2 ** 23] : [2 ** 30, 2 ** 27]
  const cpuBefore = cpuSeconds(contender)
  const one = await download(contender, `/bytes/${oneBytes}`)
  const cpuUsed = cpuSeconds(contender) - cpuBefore
  const ten = await tenDownloads(contender, eachBytes)
  const oneMegabytesPerSecond = one.bytes / one.seconds / 1e6
  run.note(`  ${round}. ${contender.name}: one ${Math.round(oneMegabytesPerSecond)} MB/s`)
  return {
    oneMegabytesPerSecond,
    cpuSecondsPerGigabyte: (cpuUsed * 1e9) / one.bytes,
    ...ten,
    memoryMegabytes: memoryMegabytes(contender),
  }
}

async function tenDownloads(
  contender: Contender,
  bytes: number,
): Promise<Pick<Sample, 'tenMegabytesPerSecond' | 'fairness'>> {
  const all = await Promise.all(Array.from({ length: PARALLEL }, () => download(contender, `/bytes/${bytes}`)))
  const seconds = all.map((each) => each.seconds)
  return {
    tenMegabytesPerSecond: (PARALLEL * bytes) / Math.max(...seconds) / 1e6,
    fairness: Math.min(...seconds) / Math.max(...seconds),
  }
}
