import { Counter, Gauge, type Registry } from 'prom-client'
import type { ByteTally } from './splice.ts'

/** The figures of connections that nobody looks into: those of `tcp` and `tls` tunnels and of TCP and TLS edges. */
export class RawMetrics {
  readonly #open: Gauge
  readonly #total: Counter
  readonly #bytes: Counter

  constructor(registry: Registry) {
    const registers = [registry]
    this.#open = new Gauge({ name: 'edge_raw_connections', help: 'Raw connections that are open', registers })
    this.#total = new Counter({
      name: 'edge_raw_connections_total',
      help: 'Raw connections that have ended, by whether they were led anywhere',
      labelNames: ['outcome'],
      registers,
    })
    this.#bytes = new Counter({
      name: 'edge_raw_bytes_total',
      help: 'Bytes of raw connections that have ended, by direction',
      labelNames: ['direction'],
      registers,
    })
  }

  onOpened(): void {
    this.#open.inc()
  }

  onClosed({ requestBytes, responseBytes }: ByteTally): void {
    this.#open.dec()
    this.#total.inc({ outcome: 'carried' })
    this.#bytes.inc({ direction: 'received' }, requestBytes)
    this.#bytes.inc({ direction: 'sent' }, responseBytes)
  }

  onRefused(): void {
    this.#total.inc({ outcome: 'refused' })
  }
}
