import type { Readable } from 'node:stream'
import { Deadlines } from './deadlines.ts'
import type { ForwardContext, ForwardMetrics, TimedWait } from './forward/forward-context.ts'
import type { Http2Bounds } from './forward/http2-connection.ts'
import { Http2Pool } from './forward/http2-pool.ts'
import { StreamPool } from './forward/stream-pool.ts'
import { Upstreams } from './forward/upstreams.ts'
import type { ResponseBounds } from './http1/response-parser.ts'
import type { EdgeLimits } from './limits.ts'

/** Everything of the edge that waits, on one timer; none of it costs a timer per request. */
export class EdgeTimers implements Disposable {
  readonly forwarding: ForwardContext
  /** Visitors that still send a body nobody wants. */
  readonly linger: Deadlines<Readable>
  readonly #timer: NodeJS.Timeout

  constructor(limits: EdgeLimits, metrics: ForwardMetrics) {
    const now = () => performance.now()
    const responseDeadlines = new Deadlines<TimedWait>(limits.upstreamResponseMs, now, (wait) => wait.onTooSlow())
    const stallDeadlines = new Deadlines<TimedWait>(limits.visitorStallMs, now, (wait) => wait.onVisitorStalled())
    const pool = new Upstreams({
      http1: new StreamPool(poolBounds(limits), now),
      http2: new Http2Pool(http2Bounds(limits), limits.idleStreamMs, now),
    })
    this.forwarding = { pool, responseDeadlines, stallDeadlines, responseMs: limits.upstreamResponseMs, metrics }
    this.linger = new Deadlines<Readable>(limits.lingerMs, now, (source) => source.destroy())
    this.#timer = setInterval(() => {
      responseDeadlines.expire()
      stallDeadlines.expire()
      pool.expire()
      this.linger.expire()
    }, limits.deadlineTickMs)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

function poolBounds(limits: EdgeLimits): ConstructorParameters<typeof StreamPool>[0] {
  return {
    idleMaxCount: limits.idleStreamsMaxCount,
    idleMs: limits.idleStreamMs,
    freshMs: limits.freshStreamMs,
    response: responseBounds(limits),
  }
}

function http2Bounds(limits: EdgeLimits): Http2Bounds {
  return {
    ...responseBounds(limits),
    streamsMaxCount: limits.http2StreamsMaxCount,
    streamWindowBytes: limits.http2StreamWindowBytes,
    sessionMemoryMegabytes: limits.http2SessionMemoryMegabytes,
    settingsMaxCount: limits.http2SettingsMaxCount,
    cancelledMaxCount: limits.http2CancelledMaxCount,
    http2ControlFramesBurst: limits.http2ControlFramesBurst,
    http2ControlFramesPerSecond: limits.http2ControlFramesPerSecond,
  }
}

function responseBounds(limits: EdgeLimits): ResponseBounds {
  return {
    headMaxBytes: limits.responseHeadMaxBytes,
    headersMaxCount: limits.responseHeadersMaxCount,
    interimMaxCount: limits.interimResponsesMaxCount,
  }
}
