/** Bounds that the wire format fixes for everybody (docs/protocol.md, sections 1, 2 and 9). */
export const wire = {
  headerBytes: 8,
  messageMaxBytes: 512 * 1024,
  dataMaxBytes: 64 * 1024,
  controlMaxBytes: 256 * 1024,
  openMaxBytes: 256,
  reasonMaxBytes: 256,
  initialCreditBytes: 64 * 1024,
  creditMaxBytes: 2 ** 31 - 1,
  streamIdMax: 2 ** 31 - 1,
} as const

const TLS_RECORD_BYTES = 16 * 1024
const WEB_SOCKET_HEADER_MAX_BYTES = 14

/**
 * What messages are filled up to. With its WebSocket header a full one is four TLS records and not a little more: every record,
 * however short, costs its receiver an event and a buffer. Longer messages would cost more copying where they are put together.
 */
export const messageTargetBytes = 4 * TLS_RECORD_BYTES - WEB_SOCKET_HEADER_MAX_BYTES

/** Reads of this size become one DATA frame that fills a message. */
export const readTargetBytes = messageTargetBytes - wire.headerBytes

/** What one side of a session may choose for itself. */
export interface SessionLimits {
  /** Streams that the peer may have open at a time. */
  readonly maxStreams: number
  /** Share of the peer's streams that one bind may have open, so that the visitors of one tunnel leave room for those of others. */
  readonly streamShareOfBind: number
  /** Window of a stream before it grows. */
  readonly streamWindowBytes: number
  readonly streamWindowMaxBytes: number
  /** Sum of all stream windows beyond which none grows. */
  readonly sessionWindowMaxBytes: number
  /** Bytes written to a stream and not sent, before `write` says stop. */
  readonly streamQueueBytes: number
  /** Bytes held by the transport before streams wait. */
  readonly transportMarkBytes: number
  /** Bytes held by the transport beyond which the session ends: the peer does not read its answers. */
  readonly transportMaxBytes: number
  /** Bytes that one stream sends before it is the next one's turn, frame headers included. */
  readonly quantumBytes: number
  /** Silence after which a PING is sent, and the further silence after which the session is dead. */
  readonly heartbeatIntervalMs: number
  readonly heartbeatToleranceMs: number
}

export const defaultLimits: SessionLimits = {
  maxStreams: 2048,
  streamShareOfBind: 0.75,
  streamWindowBytes: 256 * 1024,
  streamWindowMaxBytes: 16 * 1024 * 1024,
  sessionWindowMaxBytes: 64 * 1024 * 1024,
  streamQueueBytes: 256 * 1024,
  transportMarkBytes: 256 * 1024,
  transportMaxBytes: 16 * 1024 * 1024,
  quantumBytes: messageTargetBytes,
  heartbeatIntervalMs: 3000,
  heartbeatToleranceMs: 2000,
}
