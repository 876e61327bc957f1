import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { ServiceError } from '@tunnel/models'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import { joinRaw, type RawDeps } from './raw-connections.ts'
import type { RawEdge } from './raw-edge.ts'

export interface TcpPortsDeps extends RawDeps {
  readonly host: string
  readonly first: number
  readonly last: number
  /** Open connections per port. */
  readonly connectionsMaxCount: number
  readonly proxied: ProxiedConnections | null
  readonly edges: PortEdges
}

/** What is published at ports other than by the tunnel that holds one. */
export interface PortEdges {
  atPort(port: number): RawEdge | undefined
  /** Set aside for somebody: only given to who asks for this very port. */
  isReserved(port: number): boolean
}

/** A public port that leads to one tunnel until it is released. */
export interface TcpLease {
  readonly port: number
  /** Stops listening and cuts what is open. */
  release(): void
}

interface OpenPort {
  readonly server: Server
  readonly connections: Set<Socket>
  /** Null: only an edge listens here. */
  tunnelOf: TunnelOf | null
}

type TunnelOf = () => EdgeTunnel | undefined

/** The ports of `tcp` tunnels and of TCP edges: each has a listener while a tunnel or an edge wants it. */
export class TcpPorts implements Disposable {
  readonly #deps: TcpPortsDeps
  readonly #open = new Map<number, OpenPort>()

  constructor(deps: TcpPortsDeps) {
    this.#deps = deps
  }

  isOpen(port: number): boolean {
    return this.#open.has(port)
  }

  /**
   * Takes the port that `wish` (any whole number) stands for, or the next one that is free. The same wish leads to the same
   * port as long as nobody else has it. `tunnelOf` is asked for every connection. Throws ServiceError `tcp_ports_taken`.
   */
  async claim(wish: number, tunnelOf: TunnelOf): Promise<TcpLease> {
    const { first, last, edges } = this.#deps
    const count = last - first + 1
    for (let offset = 0; offset < count; offset++) {
      const port = first + ((wish + offset) % count)
      const isFree = !this.#open.has(port) && !edges.isReserved(port)
      if (isFree && (await this.#listen(port, tunnelOf))) return this.#lease(port, tunnelOf)
    }
    throw new ServiceError('tcp_ports_taken', { first, last })
  }

  /** Takes this very port. Throws ServiceError `tcp_port_taken` while another tunnel or an edge has it. */
  async claimPort(port: number, tunnelOf: TunnelOf): Promise<TcpLease> {
    const isFree = !this.#open.has(port) && this.#deps.edges.atPort(port) === undefined
    if (isFree && (await this.#listen(port, tunnelOf))) return this.#lease(port, tunnelOf)
    throw new ServiceError('tcp_port_taken', { port })
  }

  /** Listens at a port whose edge has come, and no more when it has gone. Throws ServiceError `tcp_port_taken`. */
  async follow(port: number): Promise<void> {
    const open = this.#open.get(port)
    const isWanted = this.#deps.edges.atPort(port) !== undefined
    if (isWanted && open === undefined && !(await this.#listen(port, null)))
      throw new ServiceError('tcp_port_taken', { port })
    if (!isWanted && open?.tunnelOf === null) this.#close(port, open)
  }

  [Symbol.dispose](): void {
    for (const [port, open] of this.#open) this.#close(port, open)
  }

  /** False when another program has the port. */
  async #listen(port: number, tunnelOf: TunnelOf | null): Promise<boolean> {
    const { proxied, connectionsMaxCount, host } = this.#deps
    const connections = new Set<Socket>()
    const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
      connections.add(socket)
      socket.on('close', () => connections.delete(socket))
      const begin = () => this.#begin(socket, port, open)
      if (proxied === null) begin()
      else proxied.receive(socket, begin)
    })
    server.maxConnections = connectionsMaxCount
    const open: OpenPort = { server, connections, tunnelOf }
    this.#open.set(port, open)
    if (await isListening(server, port, host)) return true
    this.#open.delete(port)
    return false
  }

  /** An edge comes before the tunnel that holds the port. */
  #begin(socket: Socket, port: number, { tunnelOf }: OpenPort): void {
    const target = this.#deps.edges.atPort(port) ?? tunnelOf?.()
    if (target === undefined) socket.resetAndDestroy()
    else joinRaw(socket, target, Buffer.alloc(0), `port ${port}`, this.#deps)
  }

  #lease(port: number, tunnelOf: TunnelOf): TcpLease {
    return { port, release: () => this.#release(port, tunnelOf) }
  }

  #release(port: number, tunnelOf: TunnelOf): void {
    const open = this.#open.get(port)
    if (open?.tunnelOf !== tunnelOf) return
    open.tunnelOf = null
    if (this.#deps.edges.atPort(port) === undefined) this.#close(port, open)
  }

  #close(port: number, { server, connections }: OpenPort): void {
    this.#open.delete(port)
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
