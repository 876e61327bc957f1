import { compilePolicy, type ExchangeFacts, type Policy, validatingHost } from '@tunnel/policy-engine'
import type { BenchRow, BenchRun, Goal } from '../row.ts'
import { manyBlocks, policyOf } from './documents.ts'

/** What policies cost by themselves, without a network. */
export const engine: BenchRow = {
  name: 'policy-engine',
  measure(run) {
    const goals = [
      goal('policy of 5 rules, per request', perRequest(run, policyOf(5)), 5, 2),
      goal('policy of 20 rules, per request', perRequest(run, policyOf(20)), 20, 10),
      goal(
        'restrict-ips with 10,000 blocks of both families, per request',
        perRequest(run, { inbound: [restrict] }),
        2,
      ),
      goal('rate-limit over 100,000 keys, per request', perRequest(run, { inbound: [limit] }), 2),
      goal('compiling a policy of 15 rules, warm', compiling(run), 5_000, 1_000),
    ]
    return Promise.resolve({ goals })
  },
}

const restrict = { actions: [{ type: 'restrict-ips', config: { enforce: false, allow: manyBlocks(10_000) } }] }
const limit = {
  actions: [
    {
      type: 'rate-limit',
      config: {
        name: 'n',
        algorithm: 'sliding_window',
        capacity: 5,
        rate: '60s',
        bucket_key: ['conn.client_port'],
        enforce: false,
      },
    },
  ],
}

function goal(what: string, value: number, required: number, aim?: number): Goal {
  return { what, value, unit: 'µs', better: 'lower', required, ...(aim !== undefined && { aim }) }
}

function compile(document: object): Policy {
  const result = compilePolicy(document, { protocol: 'http', host: validatingHost })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.policy
}

function perRequest(run: BenchRun, document: object): number {
  const policy = compile(document)
  let port = 0
  return median(run, run.isQuick ? 20_000 : 200_000, () => {
    port = (port + 1) % 100_000
    const outcome = policy.onRequest(policy.begin(factsFor(port)))
    if (outcome !== undefined) throw new Error('the policy refused a request')
  })
}

function compiling(run: BenchRun): number {
  return median(run, run.isQuick ? 20 : 200, () => void compile(policyOf(15)))
}

/** Microseconds of processor time per repetition, the median of the rounds; one round more warms up. */
function median(run: BenchRun, repetitions: number, work: () => void): number {
  const figures = Array.from({ length: run.rounds + 1 }, () => {
    const before = process.threadCpuUsage()
    for (let i = 0; i < repetitions; i++) work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / repetitions
  })
  return figures.slice(1).sort((a, b) => a - b)[Math.floor(run.rounds / 2)] ?? Number.NaN
}

const rawHeaders = [
  'host',
  'app.example.com',
  'user-agent',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  'accept-encoding',
  'gzip, br',
  'cookie',
  'session=abc; theme=dark',
  'x-api-version',
  '2',
]

function factsFor(clientPort: number): ExchangeFacts {
  const place = { serverIp: '198.51.100.1', serverPort: 443, serverRegion: 'local', startedAtMs: 0 }
  const target = '/api/v1/items?page=1'
  return {
    connection: { clientIp: '203.0.113.7', clientPort, ...place },
    endpoint: { id: 'ep_1', url: 'https://app.example.com', protocol: 'https', host: 'app.example.com', port: 443 },
    request: {
      method: 'GET',
      scheme: 'https',
      authority: 'app.example.com',
      target,
      httpVersion: '1.1',
      receivedAtMs: 0,
      rawHeaders,
    },
  }
}
