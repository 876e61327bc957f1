import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { ServiceError } from '@tunnel/models'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import { joinRaw, type RawDeps } from './raw-connections.ts'

export interface TcpPortsDeps extends RawDeps {
  readonly host: string
  readonly first: number
  readonly last: number
  /** Open connections per port. */
  readonly connectionsMaxCount: number
  readonly proxied: ProxiedConnections | null
}

/** A public port that leads to one tunnel until it is released. */
export interface TcpLease {
  readonly port: number
  /** Stops listening and cuts what is open. */
  release(): void
}

/** The ports of `tcp` tunnels: each has a listener of its own while its tunnel is bound. */
export class TcpPorts implements Disposable {
  readonly #deps: TcpPortsDeps
  readonly #leases = new Map<number, TcpLease>()

  constructor(deps: TcpPortsDeps) {
    this.#deps = deps
  }

  /**
   * Takes the port that `wish` (any whole number) stands for, or the next one that is free. The same wish leads to the same
   * port as long as nobody else has it. `tunnelOf` is asked for every connection. Throws ServiceError `tcp_ports_taken`.
   */
  async claim(wish: number, tunnelOf: () => EdgeTunnel | undefined): Promise<TcpLease> {
    const { first, last } = this.#deps
    const count = last - first + 1
    for (let offset = 0; offset < count; offset++) {
      const port = first + ((wish + offset) % count)
      const lease = this.#leases.has(port) ? undefined : await this.#listen(port, tunnelOf)
      if (lease !== undefined) return lease
    }
    throw new ServiceError('tcp_ports_taken', { first, last })
  }

  [Symbol.dispose](): void {
    for (const lease of this.#leases.values()) lease.release()
  }

  /** Undefined when another program has the port. */
  async #listen(port: number, tunnelOf: () => EdgeTunnel | undefined): Promise<TcpLease | undefined> {
    const { proxied } = this.#deps
    const connections = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
      connections.add(socket)
      socket.on('close', () => connections.delete(socket))
      const begin = () => this.#begin(socket, port, tunnelOf())
      if (proxied === null) begin()
      else proxied.receive(socket, begin)
    })
    server.maxConnections = this.#deps.connectionsMaxCount
    const lease = { port, release: () => this.#release(port, server, connections) }
    this.#leases.set(port, lease)
    if (await isListening(server, port, this.#deps.host)) return lease
    this.#leases.delete(port)
    return undefined
  }

  #begin(socket: Socket, port: number, tunnel: EdgeTunnel | undefined): void {
    if (tunnel === undefined) socket.resetAndDestroy()
    else joinRaw(socket, tunnel, Buffer.alloc(0), `port ${port}`, this.#deps)
  }

  #release(port: number, server: Server, connections: ReadonlySet<Socket>): void {
    this.#leases.delete(port)
    server.close()
    for (const socket of connections) socket.resetAndDestroy()
  }
}

async function isListening(server: Server, port: number, host: string): Promise<boolean> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  }
}
