import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:tls'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { callbackify } from 'node:util'
import { hasPrograms, runProcess } from '@tunnel/testkit'
import { describe, expect, it } from 'vitest'
import { CertificateSelection } from '../../src/certs/serving/certificate-selection.ts'
import { garbageCollector } from '../../src/certs/serving/collect-garbage.ts'
import { ContextCache } from '../../src/certs/serving/context-cache.ts'
import { ServedNames } from '../../src/certs/serving/served-names.ts'
import { testCertificates } from '../edge/test-certificates.ts'
import { throwAwayCertificate } from './throw-away-certificate.ts'

const mayRun = process.env['TEST_LONG'] === '1' && hasPrograms('openssl')
const handshakesPerCpuSecondMin = 1_500
const certificateCount = 10_000
const contextsMax = 5_000
const contextKilobytesMax = 60
const mebibyte = 2 ** 20

/** Figures for the log of a long run: `TEST_LONG=1 npx vitest run test/certs/speed.test.ts`. */
describe.skipIf(!mayRun)('TLS with many certificates', { timeout: 120_000 }, () => {
  it('makes ECDSA handshakes at the rate that is promised for a core', async () => {
    const certificate = await throwAwayCertificate(['app.test'])
    const names = new ServedNames()
    names.set('rd_1', ['app.test'], 'cert_1')
    const load = () => Promise.resolve(certificate)
    const contexts = new ContextCache({
      load,
      contextsMax,
      creationsPerSecond: 100,
      nowMs: () => performance.now(),
      collectGarbage: () => undefined,
    })
    const selection = new CertificateSelection({ names, contexts, lastResort: await testCertificates() })
    const server = createServer({
      ...selection.fallback(),
      SNICallback: callbackify((name: string) => selection.contextFor(name)),
    })
    server.on('secureConnection', (socket) => socket.on('error', () => socket.destroy()).resume())
    server.on('tlsClientError', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const before = process.cpuUsage()
    const target = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const report = await runProcess('openssl', ['s_time', '-connect', target, '-new', '-tls1_3', '-time', '5'])
    const { user, system } = process.cpuUsage(before)
    const handshakes = Number(/(\d+) connections in/.exec(report)?.[1])
    const perCpuSecond = Math.round(handshakes / ((user + system) / 1e6))
    process.stdout.write(`tls: ${handshakes} full ECDSA handshakes, ${perCpuSecond} per second of processor time\n`)
    server.close()
    expect(perCpuSecond).toBeGreaterThan(handshakesPerCpuSecondMin)
  })

  it('takes memory only for names that are asked for, and within its bound', async () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const certificate = await throwAwayCertificate(['many.test'], key)
    const names = new ServedNames()
    const rss = () => process.memoryUsage().rss / mebibyte
    const atStart = rss()
    const startedAtMs = performance.now()
    for (let index = 0; index < certificateCount; index++)
      names.set(`rd_${index}`, [`d${index}.many.test`], `cert_${index}`)
    const loadedMs = performance.now() - startedAtMs
    const loaded = rss()
    const load = () => Promise.resolve(certificate)
    const contexts = new ContextCache({
      load,
      contextsMax,
      creationsPerSecond: 10_000,
      nowMs: () => performance.now(),
      collectGarbage: garbageCollector(),
    })
    for (let index = 0; index < 2 * certificateCount; index++)
      await contexts.get(names.find(`d${index % certificateCount}.many.test`) ?? '')
    const asked = rss()
    const figures = [atStart, loaded, asked].map((value) => `${Math.round(value)} MiB`).join(', ')
    process.stdout.write(
      `certificates: ${certificateCount} names in ${Math.round(loadedMs)} ms; RSS at start, loaded, all asked for twice: ${figures}\n`,
    )
    expect(loaded - atStart).toBeLessThan(50)
    expect(contexts.size).toBe(contextsMax)
    expect(asked - atStart).toBeLessThan((2 * contextsMax * contextKilobytesMax) / 1024 + 200)
  })
})
