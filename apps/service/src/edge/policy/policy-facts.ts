import type { ConnectionFacts, EndpointFacts, RequestFacts } from '@tunnel/policy-engine'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Exchange } from '../exchange.ts'
import type { VisitorRequest } from '../visitor/visitor-request.ts'
import type { Visitor } from '../visitor/visitor.ts'

const connections = new WeakMap<Visitor, ConnectionFacts>()
const endpoints = new WeakMap<EdgeTunnel, EndpointFacts>()

/** A visitor's connection as policies see it; worked out once for all its requests. */
export function connectionFacts(visitor: Visitor, serverRegion: string): ConnectionFacts {
  const known = connections.get(visitor)
  if (known) return known
  const { ip, port, server, connectedAtMs, tls } = visitor
  const facts: ConnectionFacts = {
    clientIp: ip,
    clientPort: port,
    serverIp: server.ip,
    serverPort: server.port,
    serverRegion,
    startedAtMs: connectedAtMs,
    ...(tls && { tls }),
  }
  connections.set(visitor, facts)
  return facts
}

/** The name of an edge that the visitor reached as policies see it. */
export function publishedFacts(edgeId: string, { forwarded, hostName }: VisitorRequest): EndpointFacts {
  return describeEndpoint(edgeId, `${forwarded.proto}://${hostName}`)
}

/** The address of a tunnel as policies see it. Tunnels behind a published edge have none of their own. */
export function tunnelFacts(tunnel: EdgeTunnel, request: VisitorRequest): EndpointFacts {
  if (tunnel.url === '') return publishedFacts(tunnel.id, request)
  const facts = endpoints.get(tunnel) ?? describeEndpoint(tunnel.id, tunnel.url)
  endpoints.set(tunnel, facts)
  return facts
}

/** The address of a tunnel that carries bytes; a `tls` tunnel is reached at the port of the listener. */
export function rawTunnelFacts({ id, url, protocol }: EdgeTunnel, visitor: Visitor): EndpointFacts {
  const raw = protocol === 'tls' ? 'tls' : 'tcp'
  const { ip, port } = visitor.server
  // Behind a published edge a tunnel has no address of its own.
  if (url === '') return describeRaw(id, raw, ip, port)
  const { hostname, port: ownPort } = new URL(url)
  return { id, url, protocol: raw, host: hostname, port: Number(ownPort) || port }
}

/** The address of an edge that carries bytes: the name that the visitor asked for, or without one the port that it reached. */
export function rawEdgeFacts(
  { id, protocol }: { readonly id: string; readonly protocol: 'tcp' | 'tls' },
  host: string,
  { server }: Visitor,
): EndpointFacts {
  return describeRaw(id, protocol, protocol === 'tls' ? host : server.ip, server.port)
}

function describeRaw(id: string, protocol: 'tcp' | 'tls', host: string, port: number): EndpointFacts {
  return { id, url: `${protocol}://${host}:${port}`, protocol, host, port }
}

function describeEndpoint(id: string, url: string): EndpointFacts {
  const { protocol, hostname, port } = new URL(url)
  const isSecure = protocol === 'https:'
  const usualPort = isSecure ? 443 : 80
  return { id, url, protocol: isSecure ? 'https' : 'http', host: hostname, port: Number(port) || usualPort }
}

/** A request as policies see it: with Host and Content-Length, without what concerns one connection only. */
export function requestFacts({ request }: Exchange, readBody: (maxBytes: number) => Promise<Uint8Array>): RequestFacts {
  const { method, target, host, version, body } = request
  const length = typeof body === 'number' ? ['content-length', String(body)] : []
  return {
    method,
    target,
    scheme: request.forwarded.proto,
    authority: host,
    httpVersion: version,
    rawHeaders: ['host', host, ...request.headers, ...length],
    receivedAtMs: Date.now(),
    readBody,
  }
}

/** The request to send after a policy changed its headers or its address. */
export function changedRequest(
  request: VisitorRequest,
  headers: readonly string[],
  url: string | undefined,
): VisitorRequest {
  let host = request.host
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ''
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'host') host = headers[i + 1] ?? host
    else if (lowerCase !== 'content-length') kept.push(name, headers[i + 1] ?? '')
  }
  return { ...request, host, headers: kept, target: url === undefined ? request.target : targetOf(url) }
}

/** Path and query of an absolute address, as they stand. */
function targetOf(url: string): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '').replace(/#.*$/s, '')
  return target.startsWith('/') ? target : `/${target}`
}
