import type { Socket } from 'node:net'
import type { Server, TLSSocket } from 'node:tls'
import { keyOfTerms, type TlsTerms } from '../tls-terms.ts'
import { HelloNames } from './hello-names.ts'
import { createTlsListener, type TlsListenerDeps, type TlsUse } from './tls-listener.ts'

/** A connection whose ClientHello has been read. */
export interface Greeted {
  readonly socket: Socket
  /** Before a proxy's header gave it other addresses. */
  readonly ends: string
  readonly hello: Buffer
  readonly serverName: string | undefined
}

export interface TlsEndingsDeps extends TlsListenerDeps {
  /** HTTP follows, in the version that was agreed on. */
  readonly onHttp: (socket: TLSSocket) => void
  /** Bytes follow that nobody here looks into. */
  readonly onBytes: (socket: TLSSocket, terms: TlsTerms) => void
}

/** Where TLS ends. The terms have to be known before the handshake begins, so there is a listener for all who share them. */
export class TlsEndings {
  readonly #deps: TlsEndingsDeps
  readonly #http = new Map<string, Server>()
  readonly #bytes = new Map<string, Server>()
  readonly #names = new HelloNames()

  constructor(deps: TlsEndingsDeps) {
    this.#deps = deps
  }

  endHttp(greeted: Greeted, terms: TlsTerms): void {
    const protocols = ['h2', 'http/1.1']
    const use = { protocols, isRefusedLater: true, onSecure: this.#deps.onHttp }
    this.#listenerFor(this.#http, terms, use).emit('connection', this.#unread(greeted))
  }

  endBytes(greeted: Greeted, terms: TlsTerms): void {
    const onSecure = (secure: TLSSocket) => this.#deps.onBytes(secure, terms)
    const use = { protocols: undefined, isRefusedLater: false, onSecure }
    this.#listenerFor(this.#bytes, terms, use).emit('connection', this.#unread(greeted))
  }

  close(): void {
    for (const listener of [...this.#http.values(), ...this.#bytes.values()]) listener.close()
  }

  #listenerFor(listeners: Map<string, Server>, terms: TlsTerms, use: TlsUse): Server {
    const key = keyOfTerms(terms)
    const listener = listeners.get(key) ?? this.#create(terms, use)
    listeners.delete(key)
    listeners.set(key, listener)
    if (listeners.size > this.#deps.limits.tlsTermsMaxCount) dropOldest(listeners)
    return listener
  }

  #create(terms: TlsTerms, use: TlsUse): Server {
    const listener = createTlsListener(this.#deps, terms, use)
    return listener.prependListener('secureConnection', (socket) => this.#names.restore(socket))
  }

  #unread({ socket, ends, hello, serverName }: Greeted): Socket {
    if (serverName !== undefined) this.#names.remember(socket, ends, serverName)
    socket.unshift(hello)
    return socket
  }
}

/** Connections that were made by it go on. */
function dropOldest(listeners: Map<string, Server>): void {
  const [oldest] = listeners
  if (oldest === undefined) return
  listeners.delete(oldest[0])
  oldest[1].close()
}
