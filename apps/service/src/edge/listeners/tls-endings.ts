import type { Socket } from 'node:net'
import type { Server, TLSSocket } from 'node:tls'
import { EventBudget } from '../event-budget.ts'
import { keyOfTerms, type TlsTerms } from '../tls-terms.ts'
import { RecentListeners } from './recent-listeners.ts'
import { createTlsListener, type TlsListenerDeps, type TlsUse } from './tls-listener.ts'

/** A connection whose ClientHello has been read. */
export interface Greeted {
  readonly socket: Socket
  readonly hello: Buffer
  readonly serverName: string | undefined
  /** Whether something is published under the name. */
  readonly isServed: boolean
}

export interface TlsEndingsDeps extends TlsListenerDeps {
  readonly onContextDropped: () => void
  /** HTTP follows, in the version that was agreed on. */
  readonly onHttp: (socket: TLSSocket) => void
  /** Bytes follow that nobody here looks into. */
  readonly onBytes: (socket: TLSSocket, terms: TlsTerms) => void
}

/**
 * Where TLS ends. Terms and ticket keys have to be known before the handshake begins, so there is a listener for each name,
 * which resumes the sessions of this name alone, and for names without one a listener on the same terms that resumes none.
 */
export class TlsEndings {
  readonly #deps: TlsEndingsDeps
  readonly #ofTerms: RecentListeners
  readonly #ofNames: RecentListeners
  readonly #newNames: EventBudget

  constructor(deps: TlsEndingsDeps) {
    const { limits, ticketKeys } = deps
    this.#deps = deps
    this.#ofTerms = new RecentListeners(limits.tlsTermsMaxCount, deps.onContextDropped)
    this.#ofNames = new RecentListeners(limits.tlsNamesMaxCount, deps.onContextDropped)
    this.#newNames = new EventBudget(limits.tlsNamesBurst, limits.tlsNamesPerSecond, () => performance.now())
    ticketKeys?.onRotated(() => this.#ofNames.close())
  }

  endHttp(greeted: Greeted, terms: TlsTerms): void {
    const use = { protocols: ['h2', 'http/1.1'], isRefusedLater: true, onSecure: this.#deps.onHttp }
    hand(greeted, this.#listenerFor(greeted, 'http', terms, use))
  }

  endBytes(greeted: Greeted, terms: TlsTerms): void {
    const onSecure = (secure: TLSSocket) => this.#deps.onBytes(secure, terms)
    hand(greeted, this.#listenerFor(greeted, 'bytes', terms, { protocols: undefined, isRefusedLater: false, onSecure }))
  }

  close(): void {
    this.#ofTerms.close()
    this.#ofNames.close()
  }

  #listenerFor(greeted: Greeted, what: 'http' | 'bytes', terms: TlsTerms, use: TlsUse): Server {
    const { serverName } = greeted
    const key = `${what} ${keyOfTerms(terms)}`
    const ownKey = `${key} ${serverName ?? ''}`
    if (!this.#mayResume(greeted, terms, ownKey))
      return this.#ofTerms.get(key, () => createTlsListener(this.#deps, terms, use, null))
    const create = () => createTlsListener(this.#deps, terms, use, { serverName, purpose: ownKey })
    return this.#ofNames.get(ownKey, create)
  }

  /**
   * Where visitors show certificates a resumed session would prove nothing: their authority may have been taken away since.
   * Names that nobody serves, and more new ones at once than usual, must not make work or take memory.
   */
  #mayResume({ serverName, isServed }: Greeted, { clients }: TlsTerms, ownKey: string): boolean {
    if (clients !== null) return false
    return serverName === undefined || (isServed && (this.#ofNames.has(ownKey) || this.#newNames.spend()))
  }
}

function hand({ socket, hello }: Greeted, listener: Server): void {
  socket.unshift(hello)
  // For the TLS on top of it: who leaves in the middle of a handshake must not be kept until its time limit.
  socket.allowHalfOpen = false
  listener.emit('connection', socket)
}
