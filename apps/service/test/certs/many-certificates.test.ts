import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { freeDroppedContexts } from '../../src/certs/serving/collect-garbage.ts'
import { ContextCache } from '../../src/certs/serving/context-cache.ts'
import { ServedNames } from '../../src/certs/serving/served-names.ts'
import { throwAwayCertificate } from './throw-away-certificate.ts'

const mayRun = process.env['TEST_LONG'] === '1'
const certificateCount = 10_000
const contextsMax = 5_000
const contextKilobytesMax = 60
const mebibyte = 2 ** 20

/** Figures for the log of a long run: `TEST_LONG=1 npx vitest run test/certs/many-certificates.test.ts`. */
it.skipIf(!mayRun)(
  'ten thousand certificates take memory only for names that are asked for, and within a bound',
  { timeout: 120_000 },
  async () => {
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
      onDropped: freeDroppedContexts(),
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
  },
)
