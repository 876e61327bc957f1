import { createServer, type IncomingMessage, type Server } from 'node:http'
import { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { malformed } from '../headers/request-headers.ts'
import type { Intake } from '../intake.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import type { Linger } from '../visitor/request-body.ts'
import { Http1Arrival, UpgradeArrival } from './http1-arrival.ts'
import { answerUnread } from './unread-request.ts'

/** Speaks HTTP/1.1 with visitors; the HTTPS listener hands its connections in with `emit('connection')`. */
export function createHttp1Server(intake: Intake, limits: EdgeLimits, linger: Linger): Server {
  const server = createServer({
    insecureHTTPParser: false,
    // Refused by our own check, with a page that says why.
    requireHostHeader: false,
    maxHeaderSize: limits.requestHeadMaxBytes,
    headersTimeout: limits.requestHeadMs,
    // Long uploads are fine; quiet ones are found by the deadline for responses.
    requestTimeout: 0,
    keepAliveTimeout: limits.visitorIdleMs,
    connectionsCheckingInterval: limits.deadlineTickMs,
    keepAlive: true,
    noDelay: true,
    optimizeEmptyRequests: true,
    shouldUpgradeCallback: mayUpgrade,
  })
  // Node drops headers over its count without a word; ours refuses them.
  server.maxHeadersCount = 0
  server.maxConnections = limits.maxConnections
  server.on('request', (request, response) => intake.admit(new Http1Arrival(request, response, linger, false)))
  server.on('checkContinue', (request, response) => intake.admit(new Http1Arrival(request, response, linger, true)))
  server.on('upgrade', (request, socket, head) => {
    if (socket instanceof Socket) intake.admit(new UpgradeArrival(request, socket, head, linger))
    else socket.destroy()
  })
  server.on('connect', (_request, socket) => answerUnread(socket, malformed('CONNECT is not offered here')))
  server.on('clientError', (error, socket) => answerUnread(socket, error))
  return server
}

/** Node asks before it gives up its hands on a connection. `h2c` would make the upstream speak past the edge's checks. */
function mayUpgrade({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  return (
    method === 'GET' && !hasBody && /^[\w./-]+$/.test(headers.upgrade ?? '') && !/^h2c$/i.test(headers.upgrade ?? '')
  )
}

/** Connections are served once their PROXY protocol header was read; those with TLS have it below the TLS. */
export function serveBehindProxies(server: Server, proxied: ProxiedConnections): void {
  const serve = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket) => {
    const handOver = () => {
      for (const listener of serve) listener.call(server, socket)
    }
    if (socket instanceof TLSSocket) handOver()
    else proxied.receive(socket, handOver)
  })
}
