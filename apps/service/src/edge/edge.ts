import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { Registry } from 'prom-client'
import { accessLog, type ExchangeObserver, type LineSink } from './access-log.ts'
import type { CertificateSource, TicketKeySource } from './certificate-source.ts'
import { edgeMetrics } from './edge-metrics.ts'
import type { AccountFilters } from './edge-route.ts'
import type { EndpointLookup } from './endpoint-lookup.ts'
import { EdgeTimers } from './edge-timers.ts'
import { Intake } from './intake.ts'
import { type EdgeLimits, edgeLimits } from './limits.ts'
import { createHttp1Server, serveBehindProxies } from './listeners/http1-server.ts'
import { createHttp2Server } from './listeners/http2-server.ts'
import { TlsEndings } from './listeners/tls-endings.ts'
import { createTlsFront } from './listeners/tls-front.ts'
import type { OwnHost } from './own-host.ts'
import type { ProxiedConnections } from './proxy-protocol/proxied-connections.ts'
import { pipeline } from './pipeline.ts'
import { joinEnded } from './raw/ended-tls.ts'
import type { RawMetrics } from './raw/raw-metrics.ts'
import { answerChallenges, type ChallengeAnswers } from './stages/answer-challenges.ts'
import { convertWebSockets } from './stages/convert-web-sockets.ts'
import { forward } from './stages/forward.ts'
import { lookup } from './stages/lookup.ts'
import { observe } from './stages/observe.ts'
import { routeModules, tunnelPolicy } from './stages/policy.ts'
import { requireTls } from './stages/require-tls.ts'
import { chooseBackend, restrictAddresses, restrictUserAgents, route } from './stages/route.ts'

interface ListenAddress {
  readonly host: string
  readonly port: number
}

export interface EdgeDeps {
  readonly httpListen: ListenAddress
  readonly httpsListen: ListenAddress
  readonly endpoints: EndpointLookup
  readonly certificates: CertificateSource
  /** Shared by all processes, so that a TLS session can be resumed at any of them; absent: each has its own. */
  readonly ticketKeys?: TicketKeySource
  /** Told of every TLS context that is dropped; its memory is not seen by the garbage collector. */
  readonly onContextDropped: () => void
  /** Proofs for certificate authorities; absent: none is ever under way. */
  readonly challenges?: ChallengeAnswers
  /** Names that the service answers itself, such as `connect.ZONE` and `api.ZONE`. */
  readonly ownHosts: ReadonlyMap<string, OwnHost>
  /** Null: no line per request. */
  readonly accessLog: LineSink | null
  readonly metrics: Registry
  /** Who else takes notice of every exchange. */
  readonly observers?: readonly ExchangeObserver[]
  /** Identifier of this process's region, for policies. */
  readonly region: string
  readonly rawMetrics: RawMetrics
  /** Restrictions of whole accounts. */
  readonly restrictions: AccountFilters
  /** Null: nobody in front of us is trusted to say who calls. */
  readonly proxied: ProxiedConnections | null
  readonly limits?: Partial<EdgeLimits>
}

/** The public listeners. Disposing drains them: running requests finish within `drainMs`, then what is left is cut. */
export interface Edge extends AsyncDisposable {
  readonly httpAddress: AddressInfo
  readonly httpsAddress: AddressInfo
  /** Takes nobody in any more and lets running requests finish. Connections that agents hold stay until disposal. */
  drain(): Promise<void>
}

/** Starts the public edge. */
export async function startEdge(deps: EdgeDeps): Promise<Edge> {
  const limits = { ...edgeLimits, ...deps.limits }
  const metrics = edgeMetrics(deps.metrics, () => intake.openCount)
  const logs = deps.accessLog === null ? [] : [accessLog(deps.accessLog)]
  const observers = [metrics, ...logs, ...(deps.observers ?? [])]
  const timers = new EdgeTimers(limits, metrics)
  // The order matters: what is refused early costs little, and every outcome is seen by the first stage.
  const handle = pipeline([
    observe(observers),
    answerChallenges(deps.challenges ?? noChallenges),
    lookup(deps.endpoints),
    requireTls,
    route,
    restrictAddresses(deps.restrictions),
    restrictUserAgents,
    routeModules(deps),
    convertWebSockets({ ...deps, limits }),
    chooseBackend,
    tunnelPolicy(deps),
    forward(timers.forwarding),
  ])
  const intake: Intake = new Intake({ ...deps, limits, observers, handle })
  const http1 = createHttp1Server(intake, limits, timers.linger)
  if (deps.proxied !== null) serveBehindProxies(http1, deps.proxied)
  const http2 = createHttp2Server(intake, limits, timers.linger)
  const raw = { ...deps, limits, observers }
  const endings = new TlsEndings({
    ...raw,
    onHttp: (socket) => (socket.alpnProtocol === 'h2' ? http2.server : http1).emit('connection', socket),
    onBytes: (socket, terms) => joinEnded(socket, terms, raw),
  })
  const front = createTlsFront(raw, endings)
  const connections = trackConnections([http1, front])
  await Promise.all([listen(http1, deps.httpListen), listen(front, deps.httpsListen)])
  const drain = async (): Promise<void> => {
    http1.close()
    front.close()
    endings.close()
    http2.drain()
    http1.closeIdleConnections()
    await withinTime(intake.drain(), limits.drainMs)
  }
  return {
    httpAddress: addressOf(http1),
    httpsAddress: addressOf(front),
    drain,
    async [Symbol.asyncDispose]() {
      await drain()
      for (const connection of connections) connection.destroy()
      timers[Symbol.dispose]()
    },
  }
}

const noChallenges: ChallengeAnswers = { find: () => undefined }

async function listen(server: Server, { host, port }: ListenAddress): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the listener has no address')
  return address
}

function trackConnections(servers: readonly Server[]): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  for (const server of servers)
    server.on('connection', (socket: Socket) => {
      // The HTTP/1.1 server also sees the TLS sockets that are handed to it; the HTTPS listener has the one below.
      connections.add(socket)
      socket.on('close', () => connections.delete(socket))
    })
  return connections
}

async function withinTime(work: Promise<void>, limitMs: number): Promise<void> {
  const { promise: expired, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limitMs)
  await Promise.race([work, expired])
  clearTimeout(timer)
}
