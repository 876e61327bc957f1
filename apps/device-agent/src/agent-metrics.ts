import { Counter, Gauge, Registry } from 'prom-client'

/** Numbers for Prometheus, kept apart from the parts that they are about. */
export class AgentMetrics {
  readonly #registry = new Registry()
  readonly sessions = this.#counter('agent_sessions_total', 'Sessions that were established')
  readonly sessionFailures = this.#counter('agent_session_failures_total', 'Tries and sessions that ended', ['reason'])
  readonly streams = this.#counter('agent_streams_total', 'Streams that have ended', ['ending'])
  readonly storeFailures = this.#counter('agent_store_failures_total', 'Changes that the disk refused')
  readonly clockSkew = this.#gauge(
    'agent_clock_skew_seconds',
    'Clock of this device minus clock of the service, at the last welcome',
  )

  /** A number that is read when it is asked for. */
  watch(name: string, help: string, read: () => number): void {
    this.#registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read())
        },
      }),
    )
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name, help, registers: [this.#registry] })
  }
}
