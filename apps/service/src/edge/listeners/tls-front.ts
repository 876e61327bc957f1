import { createServer, type Server, type Socket } from 'node:net'
import type { Server as TlsServer } from 'node:tls'
import type { EndpointLookup, EndpointState } from '../endpoint-lookup.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import { readServerName } from '../raw/client-hello.ts'
import { joinRaw, type RawDeps } from '../raw/raw-connections.ts'
import type { RawTarget } from '../raw/raw-edge.ts'

export interface TlsFrontDeps extends RawDeps {
  readonly endpoints: EndpointLookup
  readonly limits: EdgeLimits
  readonly proxied: ProxiedConnections | null
}

/**
 * Looks at the name in a ClientHello before anybody answers it: connections of `tls` tunnels and TLS edges go to their upstream as they are,
 * all others to `tls`, which ends TLS here.
 */
export function createTlsFront(deps: TlsFrontDeps, tls: TlsServer): Server {
  const { endpoints, limits, proxied } = deps
  const decide = (socket: Socket, hello: Buffer, serverName: string | undefined) => {
    const target = serverName === undefined ? undefined : rawTarget(endpoints.find(serverName))
    if (serverName !== undefined && target !== undefined) return joinRaw(socket, target, hello, serverName, deps)
    socket.unshift(hello)
    tls.emit('connection', socket)
  }
  const front = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    const begin = () =>
      readHello(socket, limits.tlsHandshakeMs, (hello, serverName) => decide(socket, hello, serverName))
    if (proxied === null) begin()
    else proxied.receive(socket, begin)
  })
  front.maxConnections = limits.maxConnections
  return front
}

/** Whoever speaks TLS with visitors in our place. */
function rawTarget(endpoint: EndpointState): RawTarget | undefined {
  if (endpoint.kind === 'raw-edge') return endpoint.edge
  return endpoint.kind === 'online' && endpoint.tunnel.protocol === 'tls' ? endpoint.tunnel : undefined
}

type HelloRead = (hello: Buffer, serverName: string | undefined) => void

/** Reads until the name is known. The size is bounded by that of a ClientHello, the time by `withinMs`. */
function readHello(socket: Socket, withinMs: number, onRead: HelloRead): void {
  let hello: Buffer = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    hello = hello.length === 0 ? chunk : Buffer.concat([hello, chunk])
    const state = readServerName(hello)
    if (state.kind === 'incomplete') return
    clearTimeout(deadline)
    socket.off('data', onData)
    socket.off('end', onEnd)
    socket.pause()
    onRead(hello, state.serverName)
  }
  const onEnd = () => socket.destroy()
  const deadline = setTimeout(() => socket.destroy(), withinMs)
  socket.on('data', onData)
  socket.on('error', () => socket.destroy())
  socket.on('end', onEnd)
  socket.on('close', () => clearTimeout(deadline))
}
