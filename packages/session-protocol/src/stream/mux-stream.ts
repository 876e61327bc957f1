/**
 * What travels with the opening of a stream: which bind it is for and who is calling.
 * The agent decides from `bindId` where to connect; it never takes an address from the service.
 */
export interface StreamHeader {
  readonly bindId: string
  /** `http` for HTTP exchanges that the edge has parsed, `raw` for bytes that it only passes on. */
  readonly kind: 'http' | 'raw'
  /** Address of the first visitor on this stream, `ip:port`; information for logs and PROXY headers. */
  readonly visitorAddress: string
}

/** Why a stream was cut short. The numbers of these names are in docs/protocol.md. */
export type ResetCode =
  | 'cancelled'
  | 'protocol_error'
  | 'flow_control_error'
  | 'refused'
  | 'upstream_refused'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'upstream_tls_failed'
  | 'upstream_lost'
  | 'internal_error'

/** How a stream ended: both directions finished, cut by one side, or lost with its session. */
export type StreamEnding =
  | { readonly kind: 'finished' }
  | { readonly kind: 'reset'; readonly by: 'local' | 'peer'; readonly code: ResetCode; readonly message: string }
  | { readonly kind: 'session_lost'; readonly message: string }

/** Receives what a stream delivers. All calls are synchronous; none follows `onClose`. */
export interface StreamSink {
  /** The chunk may be a view on a larger buffer: copy it to keep it for long. */
  onData(chunk: Buffer): void
  /** The peer will send no more; writing is still possible. */
  onEnd(): void
  /** `write` returned false before, and may be called again now. */
  onDrain(): void
  /** Exactly once, last. */
  onClose(ending: StreamEnding): void
}

/** One multiplexed channel: ordered bytes both ways, half-close, reset, and flow control by credit. */
export interface MuxStream {
  readonly id: number
  readonly header: StreamHeader
  /** Connects the receiver. Bytes that came before are held (bounded by the window) and delivered now. */
  attach(sink: StreamSink): void
  /** Queues bytes, which must not be changed afterwards. False: the queue is over its mark, stop until `onDrain`. Throws after `end` or `onClose`. */
  write(chunk: Buffer): boolean
  /** Half-close: everything written before is still delivered. */
  end(): void
  /** Cuts both directions at once. Idempotent; a no-op after `onClose`. */
  reset(code: ResetCode, message?: string): void
  /** Stops delivery. Credit is returned only for delivered bytes, so the peer stops when the window is full. */
  pause(): void
  resume(): void
  /** Bytes written and not yet given to the transport. */
  readonly queuedBytes: number
}
