import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import { type MuxStream, toDuplex } from '@tunnel/session-protocol'
import type { HeaderList } from '../headers/header-list.ts'
import type { ResponseBounds } from '../http1/response-parser.ts'
import { type ControlFrameLimits, limitControlFrames } from '../http2/control-frames.ts'

/** What an upstream that speaks HTTP/2 may use. */
export interface Http2Bounds extends ResponseBounds, ControlFrameLimits {
  /** Requests open on one connection at a time; an upstream may allow fewer. */
  readonly streamsMaxCount: number
  readonly streamWindowBytes: number
  readonly sessionMemoryMegabytes: number
  readonly settingsMaxCount: number
  /** Requests that visitors may cancel on one connection before it takes no more. */
  readonly cancelledMaxCount: number
}

export interface Http2ConnectionKeeper {
  /** No request is open on it any more. */
  onIdle(connection: Http2Connection): void
  onClosed(connection: Http2Connection): void
}

const pseudoHeaderCount = 1
/** What a visitor may send twice to an upstream of HTTP/1.1 it may send to this one. */
const lenientFields = { strictSingleValueFields: false }

/** HTTP/2 to one upstream over one stream: many exchanges at a time. */
export class Http2Connection {
  readonly bounds: Http2Bounds
  readonly #session: ClientHttp2Session
  readonly #keeper: Http2ConnectionKeeper
  #openCount = 0
  #requestCount = 0
  #cancelledCount = 0
  #isSuspect = false
  #hasIntroducedItself = false

  constructor(stream: MuxStream, bounds: Http2Bounds, keeper: Http2ConnectionKeeper) {
    this.bounds = bounds
    this.#keeper = keeper
    const duplex = toDuplex(stream)
    this.#session = connect('http://upstream', {
      createConnection: () => duplex,
      settings: {
        enablePush: false,
        initialWindowSize: bounds.streamWindowBytes,
        maxHeaderListSize: bounds.headMaxBytes,
      },
      maxHeaderListPairs: bounds.headersMaxCount + pseudoHeaderCount,
      maxSessionMemory: bounds.sessionMemoryMegabytes,
      maxSettings: bounds.settingsMaxCount,
      ...lenientFields,
    })
    limitControlFrames(this.#session, bounds)
    this.#session.once('connect', () => this.#session.setLocalWindowSize(4 * bounds.streamWindowBytes))
    this.#session.once('remoteSettings', () => (this.#hasIntroducedItself = true))
    // Its exchanges are told, each by its own stream.
    this.#session.on('error', () => undefined)
    this.#session.on('close', () => keeper.onClosed(this))
  }

  /** Whether it takes another request: not after a GOAWAY, and not while nobody knows whether the upstream still answers. */
  get isUsable(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session
    const maxCount = Math.min(remoteSettings.maxConcurrentStreams ?? Infinity, this.bounds.streamsMaxCount)
    return !closed && !destroyed && !this.#isSuspect && this.#openCount < maxCount
  }

  /** Every program that speaks HTTP/2 begins with its SETTINGS (RFC 9113 3.4). */
  get hasIntroducedItself(): boolean {
    return this.#hasIntroducedItself
  }

  get hasServed(): boolean {
    return this.#requestCount > 1
  }

  request(headers: HeaderList, endStream: boolean): ClientHttp2Stream {
    const stream = this.#session.request(headers, { endStream, waitForTrailers: !endStream })
    this.#requestCount += 1
    this.#openCount += 1
    stream.once('close', () => {
      this.#openCount -= 1
      if (this.#openCount === 0) this.#keeper.onIdle(this)
    })
    return stream
  }

  /** An exchange ended without an answer: no other one begins before the upstream has shown that it is alive. */
  suspect(): void {
    if (this.#isSuspect || this.#session.destroyed || this.#session.connecting) return
    this.#isSuspect = true
    this.#session.ping((error) => (this.#isSuspect = error !== null))
  }

  /** Upstreams cut connections with many resets: a visitor who cancels without end must not have that done to all others. */
  noteCancelled(): void {
    this.#cancelledCount += 1
    if (this.#cancelledCount === this.bounds.cancelledMaxCount) this.close()
  }

  /** Takes no more requests, and ends with the last one that is open. */
  close(): void {
    this.#session.close()
  }
}
