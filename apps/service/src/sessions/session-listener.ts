import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { GoAwayCode, Transport } from '@tunnel/session-protocol'
import { WEB_SOCKET_SUBPROTOCOL, webSocketTransport, wire } from '@tunnel/session-protocol'
import { WebSocketServer } from 'ws'
import { AnonymousPlaces } from './anonymous-places.ts'
import type { SessionsLimits } from './limits.ts'

/** A connection that has not proved anything yet. */
export interface AnonymousPeer {
  readonly transport: Transport
  /** Source address, without the prefix of IPv4 in IPv6. */
  readonly ip: string
  /** Whose address it came to: agents of this account alone are taken there. Null: the service's own, for all. */
  readonly onlyAccountId: string | null
  /** To be called once the peer is known or gone; it does not count as anonymous any more. */
  readonly onKnown: () => void
}

export interface DismissiblePeer {
  dismiss(code: GoAwayCode, message: string): void
}

export interface SessionListenerDeps {
  readonly limits: Pick<SessionsLimits, 'unauthenticatedMax' | 'unauthenticatedPerAddressMax' | 'helloMaxBytes'>
  /** Returns how to close the connection while the peer is anonymous. */
  readonly onPeer: (peer: AnonymousPeer) => DismissiblePeer
  readonly random: () => number
}

/** Turns HTTP upgrades into transports, with bounds on what strangers can hold open. Owns no HTTP server. */
export class SessionListener {
  readonly #deps: SessionListenerDeps
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: wire.messageMaxBytes,
    handleProtocols: () => WEB_SOCKET_SUBPROTOCOL,
  })
  readonly #places: AnonymousPlaces
  readonly #anonymous = new Set<DismissiblePeer>()
  #isDraining = false

  constructor(deps: SessionListenerDeps) {
    this.#deps = deps
    this.#places = new AnonymousPlaces(deps.limits)
  }

  /** New connections are turned away from now on, and those that are still anonymous are closed. */
  drain(): void {
    this.#isDraining = true
    for (const peer of this.#anonymous) peer.dismiss('shutdown', 'the service is restarting')
  }

  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, onlyAccountId: string | null): void {
    if (!offersSubprotocol(request)) return refuse(socket, '400 Bad Request')
    const ip = addressOf(socket)
    const leave = this.#isDraining ? null : this.#places.take(ip)
    if (!leave) return refuse(socket, '503 Service Unavailable', this.#retryAfterSeconds())
    socket.once('close', leave)
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const transport = webSocketTransport(webSocket, socket, 'server')
      this.#receive({ transport, ip, onlyAccountId }, socket, leave)
    })
  }

  #receive(arrived: Omit<AnonymousPeer, 'onKnown'>, socket: Socket, leave: () => void): void {
    const onFlood = (): void => peer.dismiss('limit_exceeded', 'too many bytes before the welcome')
    const stopCounting = countBytes(socket, this.#deps.limits.helloMaxBytes, onFlood)
    const onKnown = (): void => {
      stopCounting()
      socket.off('close', leave)
      leave()
      this.#anonymous.delete(peer)
    }
    const peer = this.#deps.onPeer({ ...arrived, onKnown })
    this.#anonymous.add(peer)
  }

  /** Spread, so that those who were turned away do not come back together. */
  #retryAfterSeconds(): number {
    return 1 + Math.floor(this.#deps.random() * 5)
  }
}

function offersSubprotocol({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol'] ?? ''
  return offered.split(',').some((name) => name.trim() === WEB_SOCKET_SUBPROTOCOL)
}

function addressOf({ remoteAddress = '' }: Socket): string {
  return remoteAddress.replace(/^::ffff:(?=\d+\.)/, '')
}

function refuse(socket: Socket, status: string, retryAfterSeconds?: number): void {
  const retryAfter = retryAfterSeconds === undefined ? '' : `Retry-After: ${retryAfterSeconds}\r\n`
  socket.on('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\n${retryAfter}Connection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  )
}

/** Calls back once when a socket has received more than `maxBytes`. Returns how to stop. */
function countBytes(socket: Socket, maxBytes: number, onOver: () => void): () => void {
  const limit = socket.bytesRead + maxBytes
  const check = (): void => {
    if (socket.bytesRead <= limit) return
    socket.off('data', check)
    onOver()
  }
  socket.on('data', check)
  return () => socket.off('data', check)
}
