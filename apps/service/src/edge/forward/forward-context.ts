import type { Deadlines } from '../deadlines.ts'
import type { UpstreamPool } from './upstream-exchange.ts'

/** Ends waiting for the upstream's response, or for a visitor that does not take it. */
export interface TimedWait {
  onTooSlow(): void
  onVisitorStalled(): void
}

export interface ForwardMetrics {
  onStream(kind: 'opened' | 'reused' | 'retried'): void
  /** From the request to the head of the response. */
  onUpstreamHead(durationMs: number): void
}

/** What all forwardings share. */
export interface ForwardContext {
  readonly pool: UpstreamPool
  readonly responseDeadlines: Deadlines<TimedWait>
  readonly stallDeadlines: Deadlines<TimedWait>
  /** The limit of `responseDeadlines`. */
  readonly responseMs: number
  readonly metrics: ForwardMetrics
}
