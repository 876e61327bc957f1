import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { processUsage, runProcess, tempDir } from '@tunnel/testkit'
import { median } from '../load/statistics.ts'
import type { BenchRow } from '../row.ts'
import { startNameLab } from './name-lab.ts'

const names = 1_000
/** Networks that ask: each gets 1000 answers a second over UDP. */
const networks = 24
const questionsPerNetworkAndSecond = 900

const secondsMax = 3

/** Answers over UDP by a whole service whose edge is idle, asked from many networks, as its rate limit demands. */
export const dnsAnswers: BenchRow = {
  name: 'dns-answers',
  async measure(run) {
    await using lab = await startNameLab()
    await using dir = await tempDir()
    const questions = join(dir.path, 'questions')
    await writeFile(questions, Array.from({ length: names }, (_, index) => `d${index}.svc.test A\n`).join(''))
    const ask = (network: number) => {
      const source = ['-a', `127.200.${network}.1`, '-Q', String(questionsPerNetworkAndSecond)]
      const target = ['-s', lab.dns.host, '-p', String(lab.dns.port), '-d', questions]
      return runProcess('dnsperf', [...source, ...target, '-l', String(Math.min(run.seconds, secondsMax))])
    }
    const perCpuSecond = async () => {
      const before = processUsage([lab.pid]).cpuSeconds
      const reports = await Promise.all(Array.from({ length: networks }, (_, network) => ask(network)))
      const usedSeconds = processUsage([lab.pid]).cpuSeconds - before
      if (!reports.every((report) => /Queries lost:\s+0 /.test(report))) throw new Error('questions were lost')
      const answers = reports.map((report) => Number(/Queries completed:\s+(\d+)/.exec(report)?.[1]))
      return answers.reduce((sum, count) => sum + count, 0) / usedSeconds
    }
    // The first are answered by code that is not compiled yet.
    await perCpuSecond()
    const measured: number[] = []
    for (let round = 0; round < run.rounds; round += 1) measured.push(await perCpuSecond())
    return {
      goals: [
        {
          what: 'DNS answers over UDP per second of one core, next to an idle edge',
          value: median(measured),
          unit: '/s',
          better: 'higher',
          required: 30_000,
        },
      ],
    }
  },
}
