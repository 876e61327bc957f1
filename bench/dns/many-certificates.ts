import { once } from 'node:events'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { throwAwayCertificate } from '@tunnel/e2e/throw-away-certificate'
import { type Account, processUsage, type RunningService, startService, tempDir } from '@tunnel/testkit'
import type { BenchRow } from '../row.ts'
import { inParallel } from './in-parallel.ts'

const mebibyte = 2 ** 20
const contextsMax = 200
const namesPerStep = 400
const namesAsked = 2_000
/** After so many the memory has found its size. */
const settledNames = 1_200
const uploadsAtOnce = 16
const handshakesAtOnce = 8

/** Many stored certificates: what they cost at the start, and in memory when their names are asked for. */
export const manyCertificates: BenchRow = {
  name: 'dns-many-certificates',
  async measure(run) {
    const count = run.isQuick ? namesAsked : 10_000
    await using dir = await tempDir()
    const dataDir = join(dir.path, 'service')
    const env = { SERVICE_TLS_CONTEXTS_MAX: String(contextsMax) }
    const filling = await startService({ dataDir, env })
    const empty = rssOf(filling)
    await fill(await filling.createAccount(), count)
    await filling[Symbol.asyncDispose]()

    const startedAtMs = performance.now()
    await using service = await startService({ dataDir, env })
    const startMs = performance.now() - startedAtMs
    const stored = rssOf(service)
    const asked: { names: number; rss: number }[] = []
    for (let names = namesPerStep; names <= namesAsked; names += namesPerStep) {
      await askFor(service.ports.edgeHttps, names - namesPerStep, names)
      asked.push({ names, rss: rssOf(service) })
    }
    const rssAfter = (names: number) => asked.find((step) => step.names === names)?.rss ?? NaN
    return {
      goals: [
        { what: `Start with ${count} certificates`, value: startMs, unit: 'ms', better: 'lower', required: 5_000 },
        {
          what: `RSS for ${count} certificates that nobody asks for`,
          value: stored - empty,
          unit: 'MB',
          better: 'lower',
          required: 60,
        },
        {
          what: `RSS for ${namesAsked - settledNames} names more, with room for ${contextsMax} contexts`,
          value: rssAfter(namesAsked) - rssAfter(settledNames),
          unit: 'MB',
          better: 'lower',
          required: 30,
        },
      ],
      sheets: [
        {
          title: 'Memory of a service with many certificates',
          columns: ['', 'RSS MB'],
          lines: [
            ['empty', empty],
            [`${count} stored`, stored],
            ...asked.map(({ names, rss }) => [`${names} names asked for`, rss]),
          ],
        },
      ],
    }
  },
}

function rssOf({ process }: RunningService): number {
  return processUsage([process.pid]).rssBytes / mebibyte
}

/** Uploads a certificate for each of many reserved domains. */
async function fill(account: Account, count: number): Promise<void> {
  const { certificate, key } = await throwAwayCertificate('many.test', false)
  const upload = { certificate_pem: certificate, private_key_pem: key }
  await inParallel(count, uploadsAtOnce, async (index) => {
    const { id } = (await account.call('POST', '/tls_certificates', upload)) as { id: string }
    await account.call('POST', '/reserved_domains', { domain: `d${index}.many.test`, certificate_id: id })
  })
}

async function askFor(port: number, from: number, to: number): Promise<void> {
  await inParallel(to - from, handshakesAtOnce, async (index) => {
    const servername = `d${from + index}.many.test`
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    socket.destroy()
  })
}
