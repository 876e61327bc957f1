import { createServer, type Server, type Socket } from 'node:net'
import type { EndpointLookup, EndpointState } from '../endpoint-lookup.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import { HelloReader } from '../raw/client-hello.ts'
import { joinRaw, type RawDeps } from '../raw/raw-connections.ts'
import type { RawTarget } from '../raw/raw-edge.ts'
import { usualTerms } from '../tls-terms.ts'
import type { Greeted, TlsEndings } from './tls-endings.ts'

export interface TlsFrontDeps extends RawDeps {
  readonly endpoints: EndpointLookup
  readonly ownHosts: ReadonlyMap<string, unknown>
  readonly limits: EdgeLimits
  readonly proxied: ProxiedConnections | null
}

/**
 * Looks at the name in a ClientHello before anybody answers it: connections of `tls` tunnels and TLS edges go to their upstream as they are,
 * those whose TLS ends here to `endings`, on the terms of the name.
 */
export function createTlsFront(deps: TlsFrontDeps, endings: TlsEndings): Server {
  const { endpoints, ownHosts, limits, proxied } = deps
  const decide = (read: Omit<Greeted, 'isServed'>) => {
    const { socket, hello, serverName } = read
    if (serverName === undefined) return endings.endHttp({ ...read, isServed: false }, usualTerms)
    const endpoint = endpoints.find(serverName)
    const target = passedOn(endpoint)
    if (target !== undefined) return joinRaw(socket, target, hello, serverName, deps)
    const greeted = { ...read, isServed: endpoint.kind !== 'unknown' || ownHosts.has(serverName) }
    if (endpoint.kind === 'raw-edge') return endings.endBytes(greeted, endpoint.edge.termination ?? usualTerms)
    endings.endHttp(greeted, endpoint.kind === 'edge' ? endpoint.edge.tls : usualTerms)
  }
  const front = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true }, (socket) => {
    const begin = () =>
      readHello(socket, limits.tlsHandshakeMs, (hello, serverName) => decide({ socket, hello, serverName }))
    if (proxied === null) begin()
    else proxied.receive(socket, begin)
  })
  front.maxConnections = limits.maxConnections
  return front
}

/** Whoever speaks TLS with visitors in our place. */
function passedOn(endpoint: EndpointState): RawTarget | undefined {
  if (endpoint.kind === 'raw-edge') return endpoint.edge.termination === null ? endpoint.edge : undefined
  return endpoint.kind === 'online' && endpoint.tunnel.protocol === 'tls' ? endpoint.tunnel : undefined
}

type HelloRead = (hello: Buffer, serverName: string | undefined) => void

/** Reads until the name is known. The reader bounds the size, `withinMs` the time. */
function readHello(socket: Socket, withinMs: number, onRead: HelloRead): void {
  const reader = new HelloReader()
  const onData = (chunk: Buffer) => {
    const state = reader.add(chunk)
    if (state.kind === 'incomplete') return
    clearTimeout(deadline)
    socket.off('data', onData)
    socket.off('end', onEnd)
    socket.pause()
    onRead(reader.received, state.serverName)
  }
  const onEnd = () => socket.destroy()
  const deadline = setTimeout(() => socket.destroy(), withinMs)
  socket.on('data', onData)
  socket.on('error', () => socket.destroy())
  socket.on('end', onEnd)
  socket.on('close', () => clearTimeout(deadline))
}
