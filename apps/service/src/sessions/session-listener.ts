import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Transport } from '@tunnel/session-protocol'
import { WEB_SOCKET_SUBPROTOCOL, webSocketTransport, wire } from '@tunnel/session-protocol'
import { WebSocketServer } from 'ws'
import type { SessionsLimits } from './limits.ts'

/** A connection that has not proved anything yet. */
export interface AnonymousPeer {
  readonly transport: Transport
  /** Source address, without the prefix of IPv4 in IPv6. */
  readonly ip: string
  /** To be called once the peer is known or gone; it does not count as anonymous any more. */
  readonly onKnown: () => void
}

export interface SessionListenerDeps {
  readonly limits: Pick<SessionsLimits, 'unauthenticatedMax' | 'unauthenticatedPerAddressMax' | 'helloMaxBytes'>
  /** Returns what is to be called when the peer sends more than an anonymous one may. */
  readonly onPeer: (peer: AnonymousPeer) => { onFlood(): void }
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
  readonly #anonymousByAddress = new Map<string, number>()
  #anonymous = 0
  #isDraining = false

  constructor(deps: SessionListenerDeps) {
    this.#deps = deps
  }

  /** New connections are turned away from now on. */
  drain(): void {
    this.#isDraining = true
  }

  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const ip = addressOf(socket)
    if (!offersSubprotocol(request)) return refuse(socket, '400 Bad Request')
    if (this.#isDraining || this.#isFull(ip))
      return refuse(socket, '503 Service Unavailable', this.#retryAfterSeconds())
    const release = this.#admit(ip)
    socket.once('close', release)
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const stopCounting = countBytes(socket, this.#deps.limits.helloMaxBytes, () => peer.onFlood())
      const peer = this.#deps.onPeer({
        ip,
        transport: webSocketTransport(webSocket, socket, 'server'),
        onKnown: () => {
          stopCounting()
          socket.off('close', release)
          release()
        },
      })
    })
  }

  #isFull(ip: string): boolean {
    const { unauthenticatedMax, unauthenticatedPerAddressMax } = this.#deps.limits
    const ofAddress = this.#anonymousByAddress.get(ip) ?? 0
    return this.#anonymous >= unauthenticatedMax || ofAddress >= unauthenticatedPerAddressMax
  }

  #admit(ip: string): () => void {
    this.#anonymous += 1
    this.#anonymousByAddress.set(ip, (this.#anonymousByAddress.get(ip) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#forget(ip)
    }
  }

  #forget(ip: string): void {
    this.#anonymous -= 1
    const left = (this.#anonymousByAddress.get(ip) ?? 1) - 1
    if (left > 0) this.#anonymousByAddress.set(ip, left)
    else this.#anonymousByAddress.delete(ip)
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
