import { Deadlines } from '../deadlines.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import { type Http2Bounds, Http2Connection } from './http2-connection.ts'
import { Http2Exchange } from './http2-exchange.ts'
import type { UpstreamExchange, UpstreamPool } from './upstream-exchange.ts'

/** HTTP/2 connections to the upstream of each tunnel: one serves many requests, and another opens when it is full. */
export class Http2Pool implements UpstreamPool {
  readonly #bounds: Http2Bounds
  readonly #connections = new WeakMap<EdgeTunnel, Set<Http2Connection>>()
  readonly #idleDeadlines: Deadlines<Http2Connection>

  constructor(bounds: Http2Bounds, idleMs: number, now: () => number) {
    this.#bounds = bounds
    this.#idleDeadlines = new Deadlines(idleMs, now, (connection) => connection.close())
  }

  take(tunnel: EdgeTunnel): UpstreamExchange | undefined {
    for (const connection of this.#connections.get(tunnel) ?? [])
      if (connection.isUsable) return this.#exchangeOn(connection, tunnel)
    return undefined
  }

  /** An upstream that closes says how far it has come, so any open connection will do. */
  takeFresh(tunnel: EdgeTunnel): UpstreamExchange | undefined {
    return this.take(tunnel)
  }

  open(tunnel: EdgeTunnel, visitorAddress: string): UpstreamExchange {
    const connections = this.#connections.get(tunnel) ?? new Set()
    this.#connections.set(tunnel, connections)
    const stream = tunnel.openStream({ visitorAddress, kind: 'http' })
    const connection = new Http2Connection(stream, this.#bounds, {
      onIdle: (idle) => this.#idleDeadlines.start(idle),
      onClosed: (closed) => {
        connections.delete(closed)
        this.#idleDeadlines.stop(closed)
      },
    })
    connections.add(connection)
    return this.#exchangeOn(connection, tunnel)
  }

  expire(): void {
    this.#idleDeadlines.expire()
  }

  #exchangeOn(connection: Http2Connection, tunnel: EdgeTunnel): UpstreamExchange {
    this.#idleDeadlines.stop(connection)
    return new Http2Exchange(connection, tunnel.forwardsTo.startsWith('h2:') ? 'https' : 'http')
  }
}
