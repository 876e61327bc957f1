import { Deadlines } from '../deadlines.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { ResponseBounds } from '../http1/response-parser.ts'
import { type ConnectionKeeper, UpstreamConnection } from './upstream-connection.ts'
import type { UpstreamPool } from './upstream-exchange.ts'

/** Bounds of the pool, and of what its connections accept. */
export interface PoolBounds {
  readonly idleMaxCount: number
  readonly idleMs: number
  /** `takeFresh` only gives out connections that were idle for less than this. */
  readonly freshMs: number
  readonly response: ResponseBounds
}

interface IdleConnection {
  readonly connection: UpstreamConnection
  readonly since: number
}

/** HTTP/1.1 connections to the upstream of each tunnel, kept for the next request while the upstream keeps them open. */
export class StreamPool implements UpstreamPool {
  readonly #bounds: PoolBounds
  readonly #now: () => number
  readonly #idle = new WeakMap<EdgeTunnel, IdleConnection[]>()
  readonly #idleDeadlines: Deadlines<UpstreamConnection>

  constructor(bounds: PoolBounds, now: () => number) {
    this.#bounds = bounds
    this.#now = now
    this.#idleDeadlines = new Deadlines(bounds.idleMs, now, (connection) => connection.release())
  }

  /** The connection that was used last: it is the least likely to be closing. */
  take(tunnel: EdgeTunnel): UpstreamConnection | undefined {
    const idle = this.#idle.get(tunnel)?.pop()
    if (idle !== undefined) this.#idleDeadlines.stop(idle.connection)
    return idle?.connection
  }

  /** Only a connection that was used so recently that the upstream will hardly close it now. */
  takeFresh(tunnel: EdgeTunnel): UpstreamConnection | undefined {
    const last = this.#idle.get(tunnel)?.at(-1)
    return last !== undefined && this.#now() - last.since < this.#bounds.freshMs ? this.take(tunnel) : undefined
  }

  /** A connection on a new stream. Throws ServiceError `agent_offline`. */
  open(tunnel: EdgeTunnel, visitorAddress: string): UpstreamConnection {
    const stream = tunnel.openStream({ visitorAddress, kind: 'http' })
    return new UpstreamConnection(stream, this.#bounds.response, this.#keeperOf(tunnel))
  }

  /** Closes what was idle for too long. */
  expire(): void {
    this.#idleDeadlines.expire()
  }

  #keeperOf(tunnel: EdgeTunnel): ConnectionKeeper {
    return {
      keep: (connection) => this.#keep(tunnel, connection),
      forget: (connection) => this.#forget(tunnel, connection),
    }
  }

  #keep(tunnel: EdgeTunnel, connection: UpstreamConnection): void {
    const idle = this.#idle.get(tunnel) ?? []
    this.#idle.set(tunnel, idle)
    if (idle.length >= this.#bounds.idleMaxCount) return connection.release()
    idle.push({ connection, since: this.#now() })
    this.#idleDeadlines.start(connection)
  }

  #forget(tunnel: EdgeTunnel, connection: UpstreamConnection): void {
    this.#idleDeadlines.stop(connection)
    const idle = this.#idle.get(tunnel)
    const index = idle?.findIndex((entry) => entry.connection === connection) ?? -1
    if (index !== -1) idle?.splice(index, 1)
  }
}
