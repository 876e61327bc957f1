import { ServiceError } from '@tunnel/models'
import { Registry } from 'prom-client'
import { startEdge, type EdgeDeps } from '../../src/edge/edge.ts'
import type { PublishedEdge } from '../../src/edge/edge-route.ts'
import type { EdgeTunnel } from '../../src/edge/edge-tunnel.ts'
import type { EndpointState } from '../../src/edge/endpoint-lookup.ts'
import type { EdgeLimits } from '../../src/edge/limits.ts'
import type { OwnHost } from '../../src/edge/own-host.ts'
import type { TicketKeySource } from '../../src/edge/certificate-source.ts'
import { ProxiedConnections } from '../../src/edge/proxy-protocol/proxied-connections.ts'
import { RawMetrics } from '../../src/edge/raw/raw-metrics.ts'
import { TcpStream } from './tcp-stream.ts'
import { testCertificates } from './test-certificates.ts'

export interface EdgeOptions {
  /** The port behind `app.test`. */
  readonly upstreamPort?: number
  readonly upstreamProtocol?: EdgeTunnel['upstreamProtocol']
  readonly limits?: Partial<EdgeLimits>
  readonly ownHosts?: ReadonlyMap<string, OwnHost>
  readonly certificates?: EdgeDeps['certificates']
  readonly accessLog?: EdgeDeps['accessLog']
  readonly ticketKeys?: TicketKeySource
  readonly challenges?: EdgeDeps['challenges']
  /** The compiled policy of every name. */
  readonly policy?: unknown
  /** Address blocks of proxies that are trusted. */
  readonly trustedProxies?: readonly string[]
}

/** An edge on free ports with these names: `app.test`, `www.app.test` and `127.0.0.1` (online), `offline.test`, `gone.test` (no session any more). */
export async function startTestEdge(options: EdgeOptions = {}) {
  const streams: TcpStream[] = []
  const registry = new Registry()
  const tunnelTo = (id: string, port: number, host = ''): EdgeTunnel => ({
    id,
    accountId: 'account',
    url: `https://${host}`,
    forwardsTo: `http://127.0.0.1:${port}`,
    policy: options.policy ?? null,
    upstreamProtocol: options.upstreamProtocol ?? 'http1',
    protocol: host === 'tls.test' ? 'tls' : 'https',
    openStream: (header) => {
      if (host === 'gone.test') throw new ServiceError('agent_offline', { host })
      const stream = new TcpStream(port, header)
      streams.push(stream)
      return stream
    },
  })
  const tunnel = (host: string) => tunnelTo(`tunnel ${host}`, options.upstreamPort ?? 1, host)
  const endpoints = new Map<string, EndpointState>([['offline.test', { kind: 'offline' }]])
  for (const host of ['app.test', 'www.app.test', 'gone.test', 'tls.test', '127.0.0.1'])
    endpoints.set(host, { kind: 'online', tunnel: tunnel(host) })
  const limits = { deadlineTickMs: 20, drainMs: 500, proxyHeaderMs: 5_000, ...options.limits }
  const proxied = ProxiedConnections.open({
    trusted: options.trustedProxies ?? [],
    headerWithinMs: limits.proxyHeaderMs,
    metrics: registry,
  })
  const edge = await startEdge({
    proxied,
    restrictions: { find: () => null },
    rawMetrics: new RawMetrics(registry),
    httpListen: { host: '127.0.0.1', port: 0 },
    httpsListen: { host: '127.0.0.1', port: 0 },
    endpoints: { find: (hostName) => endpoints.get(hostName) ?? { kind: 'unknown' } },
    certificates: options.certificates ?? (await testCertificates()),
    onContextDropped: () => undefined,
    ownHosts: options.ownHosts ?? new Map(),
    accessLog: options.accessLog ?? null,
    ...(options.ticketKeys === undefined ? {} : { ticketKeys: options.ticketKeys }),
    ...(options.challenges === undefined ? {} : { challenges: options.challenges }),
    metrics: registry,
    region: 'local',
    limits,
  })
  return {
    edge,
    registry,
    streams,
    /** A tunnel that leads to a port of loopback. */
    tunnelTo,
    /** Publishes one more name before the same port. */
    publishTunnel: (host: string) => endpoints.set(host, { kind: 'online', tunnel: tunnel(host) }),
    /** Publishes an edge under a name. */
    publish: (host: string, published: PublishedEdge) => endpoints.set(host, { kind: 'edge', edge: published }),
    port: edge.httpAddress.port,
    tlsPort: edge.httpsAddress.port,
    [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
  }
}
