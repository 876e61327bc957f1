import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ExchangeObserver, ExchangeRecord, OutcomeOwner } from './access-log.ts'
import type { ForwardMetrics } from './forward/forward-context.ts'

/** The figures of the edge. Hot counters are plain numbers, copied when somebody asks for them. */
export type EdgeMetrics = ExchangeObserver & ForwardMetrics

const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

/** `inFlight`: requests that are not answered at this moment. */
export function edgeMetrics(registry: Registry, inFlight: () => number): EdgeMetrics {
  const requests = new Tally(registry, 'edge_requests_total', 'Requests by status class and by who has to act', [
    'status_class',
    'owner',
  ])
  const bytes = new Tally(registry, 'edge_bytes_total', 'Body bytes by direction', ['direction'])
  const streams = new Tally(registry, 'edge_streams_total', 'Streams to agents: opened, reused, retried', ['kind'])
  const latency = new Histogram({
    name: 'edge_upstream_seconds',
    help: 'From the request to the head of the response',
    buckets: latencyBuckets,
    registers: [registry],
  })
  registerGauge(registry, inFlight)
  return {
    onStream: (kind) => streams.add(kind, 1),
    onUpstreamHead: (durationMs) => latency.observe(durationMs / 1000),
    onFinished: (record) => {
      requests.add(`${statusClass(record.status)}/${ownerOf(record)}`, 1)
      bytes.add('received', record.requestBytes)
      bytes.add('sent', record.responseBytes)
    },
  }
}

function registerGauge(registry: Registry, current: () => number): void {
  const name = 'edge_requests_in_flight'
  const help = 'Requests that are not answered yet'
  const gauge: Gauge = new Gauge({ name, help, registers: [], collect: () => gauge.set(current()) })
  registry.registerMetric(gauge)
}

function statusClass(status: number): string {
  return status === 0 ? 'none' : `${Math.trunc(status / 100)}xx`
}

function ownerOf({ failure, isComplete }: ExchangeRecord): OutcomeOwner {
  return failure?.definition.owner ?? (isComplete ? 'nobody' : 'visitor')
}

/** A counter with labels that costs one addition per event. */
class Tally {
  readonly #values = new Map<string, number>()

  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[]) {
    const values = this.#values
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [],
      collect: () => {
        counter.reset()
        for (const [key, value] of values) {
          const labels = key.split('/')
          counter.inc(Object.fromEntries(labelNames.map((label, i) => [label, labels[i] ?? ''])), value)
        }
      },
    })
    registry.registerMetric(counter)
  }

  /** `key`: the values of the labels, joined with a slash. */
  add(key: string, amount: number): void {
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount)
  }
}
