import type { Deadlines } from '../deadlines.ts'
import type { StreamPool } from './stream-pool.ts'

/** What ends waiting for a response. */
export interface TimedWait {
  onTooSlow(): void
}

export interface ForwardMetrics {
  onStream(kind: 'opened' | 'reused' | 'retried'): void
  /** From the request to the head of the response. */
  onUpstreamHead(durationMs: number): void
}

/** What all forwardings share. */
export interface ForwardContext {
  readonly pool: StreamPool
  readonly responseDeadlines: Deadlines<TimedWait>
  /** The limit of `responseDeadlines`. */
  readonly responseMs: number
  readonly metrics: ForwardMetrics
}
