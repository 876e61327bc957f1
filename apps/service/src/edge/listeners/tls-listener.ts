import { constants } from 'node:crypto'
import { createServer, type SecureContext, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'
import type { CertificateSource, TicketKeySource } from '../certificate-source.ts'
import { noteClientProof } from '../client-proof.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import type { TlsTerms } from '../tls-terms.ts'
import { ClientContexts, trusting } from './client-contexts.ts'

export interface TlsListenerDeps {
  readonly certificates: CertificateSource
  readonly ticketKeys?: TicketKeySource
  readonly proxied: ProxiedConnections | null
  readonly limits: EdgeLimits
}

/** What becomes of connections whose TLS ends here. */
export interface TlsUse {
  /** What may be agreed on (ALPN); undefined: nothing. */
  readonly protocols: string[] | undefined
  /** Visitors without a valid certificate are told so later, in words; otherwise their handshake fails. */
  readonly isRefusedLater: boolean
  readonly onSecure: (socket: TLSSocket) => void
}

/** Whose sessions are resumed. */
export interface Resumed {
  /** Undefined: those of visitors who name no server. */
  readonly serverName: string | undefined
  /** Tickets are sealed for this alone. */
  readonly purpose: string
}

/**
 * Ends TLS on these terms; `resumed` null: without sessions. Connections are handed in with `emit('connection')`; it listens
 * nowhere itself.
 */
export function createTlsListener(
  deps: TlsListenerDeps,
  terms: TlsTerms,
  use: TlsUse,
  resumed: Resumed | null,
): Server {
  const { certificates, proxied, limits } = deps
  const { clients, minVersion } = terms
  const contexts = clients === null ? certificates : new ClientContexts(certificates, clients)
  const common = { minVersion, ...(clients && trusting(clients)), ...sessionsOf(resumed, deps.ticketKeys) }
  const listener = createServer({
    ...common,
    requestCert: clients !== null,
    rejectUnauthorized: !use.isRefusedLater,
    ALPNProtocols: use.protocols,
    handshakeTimeout: limits.tlsHandshakeMs,
    noDelay: true,
    keepAlive: true,
    SNICallback: callbackify((serverName: string) => contextOf(contexts, plainName(serverName), resumed)),
  })
  listener.maxConnections = limits.maxConnections
  if (resumed !== null && resumed.serverName === undefined) keepFallback(listener, common, deps)
  listener.on('secureConnection', (socket) => {
    // What was asked may still be answered to a visitor who sends nothing any more.
    socket.allowHalfOpen = true
    proxied?.adopt(socket)
    // After a resumed TLS 1.2 handshake Node does not tell the name.
    if (socket.isSessionReused() && !socket.servername) socket.servername = resumed?.serverName ?? false
    if (clients !== null) noteClientProof(socket, { trustKey: clients.key, isProven: socket.authorized })
    use.onSecure(socket)
  })
  // Makes Node's first read buffer 16 KiB. It would be as small as the ClientHello that `tls-front` has read, and be used again
  // for every second read. There is nothing to resume here: tickets bring their state along.
  listener.on('resumeSession', (_id: Buffer, done: (error: null, session: null) => void) => done(null, null))
  // A handshake that fails concerns only that visitor.
  listener.on('tlsClientError', (_error, socket) => socket.destroy())
  return listener
}

/** Where no server is named, the listener itself has to have a certificate. */
function keepFallback(listener: Server, common: SecureContextOptions, { certificates, limits }: TlsListenerDeps): void {
  const renew = () => listener.setSecureContext({ ...common, ...certificates.fallback() })
  renew()
  const refresh = setInterval(renew, limits.certificateRefreshMs)
  listener.on('close', () => clearInterval(refresh))
}

type SessionOptions = SecureContextOptions & { readonly ticketKeys?: Buffer }

/** Sessions are resumed only where `sessionIdContext` is the same; Node's default differs between processes. */
function sessionsOf(resumed: Resumed | null, ticketKeys: TicketKeySource | undefined): SessionOptions {
  if (resumed === null) return { sessionIdContext: 'tunnel-edge-new', secureOptions: constants.SSL_OP_NO_TICKET }
  return { sessionIdContext: 'tunnel-edge', ...(ticketKeys && { ticketKeys: ticketKeys.keysFor(resumed.purpose) }) }
}

/** An exception out of SNICallback would end the process; as a rejection it ends this handshake. */
async function contextOf(
  contexts: Pick<CertificateSource, 'contextFor'>,
  serverName: string,
  resumed: Resumed | null,
): Promise<SecureContext> {
  // The hello was too large, or cut up too finely, to be read before the handshake: its terms are not known.
  if (resumed !== null && serverName !== (resumed.serverName ?? '')) throw new Error('another name was read')
  return contexts.contextFor(serverName)
}

function plainName(serverName: string): string {
  return serverName.toLowerCase().replace(/\.$/, '')
}
