import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasPrograms, runProcess, tempDir } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { Authority } from '../../src/dns/authority.ts'
import { startDnsServer } from '../../src/dns/dns-server.ts'

const mayRun = process.env['TEST_LONG'] === '1' && hasPrograms('dnsperf')
/** Of one core, whatever else the machine does. */
const answersPerCpuSecondMin = 30_000
const seconds = 5

/** Figures for the log of a long run: `TEST_LONG=1 npx vitest run test/dns/speed.test.ts`. */
describe.skipIf(!mayRun)('the DNS server under dnsperf', { timeout: 60_000 }, () => {
  it.each(['udp', 'tcp'])(
    'answers over %s without loss, at the rate that is promised for a core',
    async (transport) => {
      const authority = new Authority({ domain: 'svc.test', publicIps: ['192.0.2.1'], nowSeconds: () => 1 })
      for (let index = 0; index < 1_000; index++) authority.addAlias(`d${index}.a.cname.svc.test`)
      await using server = await startDnsServer({
        zones: authority.zones,
        listen: { host: '127.0.0.1', port: 0 },
        nowMs: () => performance.now(),
        onFailure: (error) => expect.fail(String(error)),
        answersPerSecondPerNetwork: 10_000_000,
      })
      await using dir = await tempDir()
      const questions = join(dir.path, 'questions')
      await writeFile(questions, Array.from({ length: 1_000 }, (_, index) => `d${index}.a.cname.svc.test A\n`).join(''))
      const before = process.cpuUsage()
      const words = [
        '-s',
        '127.0.0.1',
        '-p',
        String(server.port),
        '-d',
        questions,
        '-l',
        String(seconds),
        '-m',
        transport,
      ]
      const report = await runProcess('dnsperf', words)
      const { user, system } = process.cpuUsage(before)
      const completed = Number(/Queries completed:\s+(\d+)/.exec(report)?.[1])
      const answersPerCpuSecond = Math.round(completed / ((user + system) / 1e6))
      process.stdout.write(
        `dns over ${transport}: ${Math.round(completed / seconds)}/s, ${answersPerCpuSecond} per second of processor time\n`,
      )
      expect(report).toMatch(/Queries lost:\s+0 /)
      expect(answersPerCpuSecond).toBeGreaterThan(answersPerCpuSecondMin)
    },
  )
})
