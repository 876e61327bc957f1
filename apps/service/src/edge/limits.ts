/** Every bound of the edge. Times in milliseconds, sizes in bytes. */
export interface EdgeLimits {
  /** Open visitor connections per listener; more are closed at once. */
  readonly maxConnections: number
  /** From the first byte of a connection (or the end of the last exchange) to a complete request head. */
  readonly requestHeadMs: number
  readonly tlsHandshakeMs: number
  /** How long a trusted proxy may take for its PROXY protocol header. */
  readonly proxyHeaderMs: number
  /** Quiet time after which a kept-alive visitor connection is closed. Longer than the usual load balancer's 60 s. */
  readonly visitorIdleMs: number
  readonly requestHeadMaxBytes: number
  readonly requestHeadersMaxCount: number
  /** Requests that one HTTP/1.1 connection may have unanswered at a time (pipelining). */
  readonly pipelinedMaxCount: number
  /** After the response, how long the rest of an unwanted request body is read and dropped. */
  readonly lingerMs: number
  /** From the latest byte of the request to the head of the response; also how long a visitor may pause within a body. */
  readonly upstreamResponseMs: number
  /** How long a visitor may take nothing of a response that waits for it. */
  readonly visitorStallMs: number
  readonly responseHeadMaxBytes: number
  readonly responseHeadersMaxCount: number
  /** Interim (1xx) responses that an upstream may send before the final one. */
  readonly interimResponsesMaxCount: number
  /** Streams kept open for reuse, per tunnel, and for how long. */
  readonly idleStreamsMaxCount: number
  readonly idleStreamMs: number
  /** A request that must not be sent twice only reuses a stream that was idle for less than this. */
  readonly freshStreamMs: number
  /** Requests that one HTTP/2 connection may have open at a time. */
  readonly http2StreamsMaxCount: number
  readonly http2StreamWindowBytes: number
  /** Memory that one HTTP/2 connection may hold in frames, headers and queued data. */
  readonly http2SessionMemoryMegabytes: number
  readonly http2SettingsMaxCount: number
  readonly http2InvalidFramesMaxCount: number
  readonly http2RejectedStreamsMaxCount: number
  /** PING and SETTINGS frames that a visitor may send at once, and per second after that. */
  readonly http2ControlFramesBurst: number
  readonly http2ControlFramesPerSecond: number
  /** Streams that a visitor may reset at once, and per second after that (rapid reset). */
  readonly http2ResetBurst: number
  readonly http2ResetsPerSecond: number
  /** Requests that visitors may cancel on one connection to an upstream before others go over a new one. */
  readonly http2CancelledMaxCount: number
  /** Open connections of one `tcp` tunnel. */
  readonly tcpConnectionsMaxCount: number
  /** One message of a WebSocket that is carried on as bytes. */
  readonly webSocketMessageMaxBytes: number
  /** How often the shared timers look at their deadlines. */
  readonly deadlineTickMs: number
  /** How often the certificate for connections without a name is read anew. */
  readonly certificateRefreshMs: number
  /** Different demands on the TLS of visitors that are remembered at a time. */
  readonly tlsTermsMaxCount: number
  /** Names whose TLS sessions can be resumed at a time; about 25 KB each. */
  readonly tlsNamesMaxCount: number
  /** Names that may be added to them at once, and per second after that. */
  readonly tlsNamesBurst: number
  readonly tlsNamesPerSecond: number
  /** How long running requests get to finish when the service stops. */
  readonly drainMs: number
}

export const edgeLimits: EdgeLimits = {
  maxConnections: 50_000,
  requestHeadMs: 10_000,
  tlsHandshakeMs: 10_000,
  proxyHeaderMs: 5_000,
  visitorIdleMs: 75_000,
  requestHeadMaxBytes: 32_768,
  requestHeadersMaxCount: 200,
  pipelinedMaxCount: 32,
  lingerMs: 10_000,
  upstreamResponseMs: 60_000,
  visitorStallMs: 300_000,
  responseHeadMaxBytes: 65_536,
  responseHeadersMaxCount: 200,
  interimResponsesMaxCount: 16,
  idleStreamsMaxCount: 128,
  idleStreamMs: 15_000,
  freshStreamMs: 1_000,
  http2StreamsMaxCount: 100,
  http2StreamWindowBytes: 256 * 1024,
  http2SessionMemoryMegabytes: 10,
  http2SettingsMaxCount: 16,
  http2InvalidFramesMaxCount: 100,
  http2RejectedStreamsMaxCount: 100,
  http2ControlFramesBurst: 500,
  http2ControlFramesPerSecond: 50,
  http2ResetBurst: 200,
  http2ResetsPerSecond: 20,
  http2CancelledMaxCount: 100,
  tcpConnectionsMaxCount: 10_000,
  webSocketMessageMaxBytes: 1024 * 1024,
  deadlineTickMs: 500,
  certificateRefreshMs: 3_600_000,
  tlsTermsMaxCount: 1_000,
  tlsNamesMaxCount: 1_000,
  tlsNamesBurst: 200,
  tlsNamesPerSecond: 50,
  drainMs: 10_000,
}
