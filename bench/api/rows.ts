import { median } from '../load/statistics.ts'
import { type LoadResult, runWrk } from '../load/wrk.ts'
import type { BenchRow, BenchRun, Goal } from '../row.ts'
import { type ApiLab, startApiLab, startPostgresLab } from './api-lab.ts'
import { policyId } from './full-store.ts'

const CONNECTIONS = 32
const PAGES = 300
/** The first pages after the start are the compiler's. */
const WARM_UP_PAGES = 30

/** The management API over a million stored resources, in one process; PostgreSQL for comparison. */
export const rows: readonly BenchRow[] = [
  { name: 'api-requests', measure: async (run) => ({ goals: goals(await measure(run, startApiLab)) }) },
  { name: 'api-postgres', measure: async (run) => ({ goals: unbound(goals(await measure(run, startPostgresLab))) }) },
]

async function measure(run: BenchRun, start: (rows: number) => Promise<ApiLab>): Promise<Figures> {
  const stored = run.isQuick ? 10_000 : 1_000_000
  await using lab = await start(stored)
  const reads = await load(lab, run, { path: `/ip_policies/${policyId(Math.floor(stored / 2))}` })
  const creates = await load(lab, run, { path: '/ip_policies', body: '{"description":"benchmark"}' })
  const pageP99Ms = await pageLatency(lab, stored)
  run.note(`  start ${Math.round(lab.startMs)} ms, page p99 ${pageP99Ms.toFixed(2)} ms`)
  return { reads, creates, pageP99Ms, startMs: lab.startMs, stored }
}

/** What is shown beside the figures that are required. */
function unbound(figures: readonly Goal[]): Goal[] {
  return figures.map(({ what, value, unit, better }) => ({ what: `PostgreSQL: ${what}`, value, unit, better }))
}

async function load(lab: ApiLab, run: BenchRun, request: { path: string; body?: string }): Promise<LoadResult> {
  const options = { ...request, connections: CONNECTIONS, headers: lab.headers }
  await runWrk(lab.target, { ...options, seconds: 1 })
  const results: LoadResult[] = []
  for (let round = 0; round < run.rounds; round += 1)
    results.push(await runWrk(lab.target, { ...options, seconds: run.seconds }))
  const middle = (figure: keyof LoadResult) => median(results.map((result) => result[figure]))
  const result = {
    requests: middle('requests'),
    requestsPerSecond: middle('requestsPerSecond'),
    p50Ms: middle('p50Ms'),
    p99Ms: middle('p99Ms'),
  }
  run.note(`  ${request.path}: ${Math.round(result.requestsPerSecond)} requests/s, p99 ${result.p99Ms} ms`)
  return result
}

/** Pages of 100 from all over the collection, one after the other. */
async function pageLatency({ target, headers }: ApiLab, stored: number): Promise<number> {
  const times: number[] = []
  for (let n = -WARM_UP_PAGES; n < PAGES; n += 1) {
    const before = policyId(Math.floor((stored * (Math.abs(n) + 1)) / (PAGES + 1)))
    const begun = performance.now()
    const { authorization = '', 'service-version': version = '' } = headers
    const answer = await fetch(`http://${target.host}/ip_policies?limit=100&before_id=${before}`, {
      headers: { authorization, 'service-version': version },
    })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`a page answered ${answer.status}`)
    if (n >= 0) times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? NaN
}

interface Figures {
  readonly reads: LoadResult
  readonly creates: LoadResult
  readonly pageP99Ms: number
  readonly startMs: number
  readonly stored: number
}

function goals({ reads, creates, pageP99Ms, startMs, stored }: Figures): Goal[] {
  const among = `${stored.toLocaleString('en')} stored`
  return [
    {
      what: 'authenticated GET of one resource, 32 connections',
      value: reads.requestsPerSecond,
      unit: '/s',
      better: 'higher',
      required: 5000,
      aim: 8000,
    },
    {
      what: 'durable create, 32 connections',
      value: creates.requestsPerSecond,
      unit: '/s',
      better: 'higher',
      required: 1500,
    },
    { what: `page of 100 of ${among}, any page, p99`, value: pageP99Ms, unit: 'ms', better: 'lower', required: 10 },
    { what: `start with ${among}`, value: startMs, unit: 'ms', better: 'lower', required: 2000 },
  ]
}
