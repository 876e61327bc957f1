import type { GoAwayCode } from '../codes.ts'
import type { GoAway } from '../frames/decode-message.ts'
import type { SessionLimits } from '../limits.ts'
import type { MuxStream } from '../stream/mux-stream.ts'
import type { Heartbeats } from './heartbeats.ts'

/** How a session ended. `code` is null when the connection was lost without a word. */
export interface SessionEnding {
  readonly by: 'local' | 'peer' | 'network'
  readonly code: GoAwayCode | null
  readonly message: string
  /** What the peer asked for with its GOAWAY; 0 when it said nothing. */
  readonly retryAfterMs: number
  /** A failure of our own code, for the log. */
  readonly cause?: unknown
}

/** What a session tells its owner. All calls are synchronous; none follows `onClose`. */
export interface SessionHandlers<Incoming> {
  onControl(message: Incoming): void
  /** The peer has opened a stream. Attach a sink, or reset it. */
  onStream(stream: MuxStream): void
  /** The peer is leaving: it takes no new streams, and running ones may finish. */
  onGoAway(goAway: GoAway): void
  /** Exactly once, last; streams have been told before. */
  onClose(ending: SessionEnding): void
}

export interface SessionOptions {
  readonly limits: SessionLimits
  /** One for all sessions of a process. */
  readonly heartbeats: Heartbeats
  /** Monotonic. */
  readonly nowMs: () => number
}

/** What was ignored in a session, for metrics. */
export interface IgnoredCounts {
  readonly frames: number
  readonly controlMessages: number
}

/** No stream can be opened now. */
export class StreamUnavailable extends Error {
  override readonly name = 'StreamUnavailable'
  readonly reason: 'session_closed' | 'session_leaving' | 'stream_limit'

  constructor(reason: StreamUnavailable['reason']) {
    super(`no stream: ${reason}`)
    this.reason = reason
  }
}
