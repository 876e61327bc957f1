import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { malformed } from '../headers/request-headers.ts'
import type { Intake } from '../intake.ts'
import type { EdgeLimits } from '../limits.ts'
import { Http1Response } from '../visitor/http1-response.ts'
import { type Linger, RequestBody } from '../visitor/request-body.ts'
import { UpgradeResponse } from '../visitor/upgrade-response.ts'
import type { ReceivedRequest } from '../visitor/visitor-request.ts'
import { visitorOf } from '../visitor/visitor.ts'
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
  server.on('request', (request, response) => admitRequest(intake, linger, request, response, false))
  server.on('checkContinue', (request, response) => admitRequest(intake, linger, request, response, true))
  server.on('upgrade', (request, socket, head) => admitUpgrade(intake, linger, request, socket, head))
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

function admitRequest(
  intake: Intake,
  linger: Linger,
  request: IncomingMessage,
  response: ServerResponse,
  isContinueAwaited: boolean,
): void {
  intake.admit({
    visitor: visitorOf(request.socket),
    received: receivedRequest(request),
    upgrade: undefined,
    openBody: () => new RequestBody(request, () => request.rawTrailers, linger),
    openResponse: (onClosed) => {
      const visitorResponse = new Http1Response(response, isContinueAwaited, () => intake.isDraining)
      response.on('close', () => {
        visitorResponse.observer.onClose(response.writableFinished)
        onClosed()
      })
      return visitorResponse
    },
    passTo: (host) => {
      if (isContinueAwaited) response.writeContinue()
      host.onRequest(request, response)
    },
  })
}

function admitUpgrade(intake: Intake, linger: Linger, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  if (!(socket instanceof Socket)) return void socket.destroy()
  intake.admit({
    visitor: visitorOf(socket),
    received: receivedRequest(request),
    upgrade: request.headers.upgrade,
    openBody: () => new RequestBody(request, () => [], linger),
    openResponse: (onClosed) => {
      if (head.length > 0) socket.unshift(head)
      const visitorResponse = new UpgradeResponse(request, socket)
      socket.on('close', () => {
        visitorResponse.observer.onClose(visitorResponse.isComplete)
        onClosed()
      })
      return visitorResponse
    },
    passTo: (host) => {
      if (host.onUpgrade !== undefined) host.onUpgrade(request, socket, head)
      else answerUnread(socket, malformed('this host has nothing to upgrade to'))
    },
  })
}

function receivedRequest({ method, url, rawHeaders, httpVersion }: IncomingMessage): ReceivedRequest {
  const version = httpVersion === '1.1' || httpVersion === '1.0' ? httpVersion : 'other'
  return {
    method: method ?? '',
    target: url ?? '',
    rawHeaders,
    authority: undefined,
    version,
    headBytes: 0,
    hasEnded: false,
  }
}
