import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@tunnel/models'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { Exchange } from '../exchange.ts'
import { headerValue } from '../headers/header-list.ts'
import { malformed } from '../headers/request-headers.ts'
import type { EdgeLimits } from '../limits.ts'
import type { Stage } from '../pipeline.ts'
import { Splice } from '../raw/splice.ts'
import { StreamAttempts } from '../raw/stream-attempts.ts'
import type { VisitorRequest } from '../visitor/visitor-request.ts'

export interface ConversionDeps {
  readonly region: string
  readonly limits: EdgeLimits
}

/** On routes that convert: what a WebSocket's messages hold become the bytes of a connection to the backend, and back. */
export function convertWebSockets({ region, limits }: ConversionDeps): Stage {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.webSocketMessageMaxBytes,
  })
  return (exchange, next) => {
    const { route, tunnel, request, visitor } = exchange
    // A policy may have chosen another way.
    if (route?.convertsWebSockets !== true || tunnel !== undefined) return next()
    requireWebSocket(request)
    join(exchange, new StreamAttempts(route, { host: request.hostName, visitor, region }), webSockets)
  }
}

function requireWebSocket({ upgrade, headers }: VisitorRequest): void {
  if (upgrade?.toLowerCase() !== 'websocket') throw new ServiceError('websocket_required')
  if (!/^[+/\dA-Za-z]{22}==$/.test(headerValue(headers, 'sec-websocket-key') ?? ''))
    throw malformed('Sec-WebSocket-Key is missing or wrong')
  if (headerValue(headers, 'sec-websocket-version') !== '13') throw malformed('the WebSocket version is not 13')
}

function join(exchange: Exchange, attempts: StreamAttempts, webSockets: WebSocketServer): void {
  const stream = attempts.open()
  exchange.tunnel = attempts.tunnel
  const socket = exchange.response.takeConnection()
  exchange.status = 101
  webSockets.handleUpgrade(nodeRequest(exchange.request, socket), socket, Buffer.alloc(0), (webSocket) => {
    const splice = new Splice(createWebSocketStream(webSocket), exchange, () => attempts.openNext())
    exchange.driver = {
      onVisitorDrain: () => undefined,
      onVisitorClose: () => {
        exchange.tunnel = attempts.tunnel
        attempts.finish(splice.isUpstreamDown && exchange.responseBytes === 0 ? 'failure' : 'success')
      },
    }
    splice.connect(stream, Buffer.alloc(0))
  })
}

/** The request in the form that the WebSocket library reads. */
function nodeRequest({ method, target, headers }: VisitorRequest, socket: Socket): IncomingMessage {
  const request = new IncomingMessage(socket)
  request.method = method
  request.url = target
  request.headers = { upgrade: 'websocket' }
  for (let i = 0; i < headers.length; i += 2) request.headers[(headers[i] ?? '').toLowerCase()] ??= headers[i + 1]
  return request
}
