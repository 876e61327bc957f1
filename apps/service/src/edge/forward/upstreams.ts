import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { UpstreamExchange, UpstreamPool } from './upstream-exchange.ts'

/** The pool for each version of HTTP that upstreams speak. */
export class Upstreams implements UpstreamPool {
  readonly #pools: Readonly<Record<EdgeTunnel['upstreamProtocol'], UpstreamPool>>

  constructor(pools: Readonly<Record<EdgeTunnel['upstreamProtocol'], UpstreamPool>>) {
    this.#pools = pools
  }

  take(tunnel: EdgeTunnel): UpstreamExchange | undefined {
    return this.#pools[tunnel.upstreamProtocol].take(tunnel)
  }

  takeFresh(tunnel: EdgeTunnel): UpstreamExchange | undefined {
    return this.#pools[tunnel.upstreamProtocol].takeFresh(tunnel)
  }

  open(tunnel: EdgeTunnel, visitorAddress: string): UpstreamExchange {
    return this.#pools[tunnel.upstreamProtocol].open(tunnel, visitorAddress)
  }

  expire(): void {
    this.#pools.http1.expire()
    this.#pools.http2.expire()
  }
}
