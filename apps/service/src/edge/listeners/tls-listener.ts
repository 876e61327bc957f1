import { constants } from 'node:crypto'
import { createServer, type SecureContext, type SecureContextOptions, type Server, type TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'
import type { CertificateSource, TicketKeySource } from '../certificate-source.ts'
import { noteClientProof } from '../client-proof.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'
import type { ClientTrust, TlsTerms } from '../tls-terms.ts'
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

/** Ends TLS on these terms. Connections are handed in with `emit('connection')`; it listens nowhere itself. */
export function createTlsListener(deps: TlsListenerDeps, terms: TlsTerms, use: TlsUse): Server {
  const { certificates, ticketKeys, proxied, limits } = deps
  const { clients } = terms
  const contexts = clients === null ? certificates : new ClientContexts(certificates, clients)
  const withoutName = () => contextWithoutName(deps, terms)
  const listener = createServer({
    ...withoutName(),
    requestCert: clients !== null,
    rejectUnauthorized: !use.isRefusedLater,
    ALPNProtocols: use.protocols,
    handshakeTimeout: limits.tlsHandshakeMs,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    SNICallback: callbackify((serverName: string) => contextOf(contexts, serverName)),
  })
  listener.maxConnections = limits.maxConnections
  const refresh = setInterval(() => listener.setSecureContext(withoutName()), limits.certificateRefreshMs)
  if (clients === null) ticketKeys?.onRotated((keys) => listener.setTicketKeys(keys))
  listener.on('close', () => clearInterval(refresh))
  listener.on('secureConnection', (socket) => {
    proxied?.adopt(socket)
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

type ContextWithoutName = SecureContextOptions & { readonly ticketKeys?: Buffer }

/** Sessions are resumed only where `sessionIdContext` is the same; Node's default differs between processes. */
function contextWithoutName({ certificates, ticketKeys }: TlsListenerDeps, terms: TlsTerms): ContextWithoutName {
  const { clients, minVersion } = terms
  const own = { ...certificates.fallback(), minVersion }
  if (clients !== null) return { ...own, ...checking(clients) }
  return { ...own, sessionIdContext: 'tunnel-edge', ...(ticketKeys && { ticketKeys: ticketKeys.current }) }
}

/**
 * A resumed session would prove nothing: one of another name has never been checked, and an authority may have been taken
 * away since. So none is resumed where visitors show certificates.
 */
function checking(clients: ClientTrust): SecureContextOptions {
  return { ...trusting(clients), secureOptions: constants.SSL_OP_NO_TICKET, sessionIdContext: 'tunnel-edge-clients' }
}

/** An exception out of SNICallback would end the process; as a rejection it ends this handshake. */
async function contextOf(contexts: Pick<CertificateSource, 'contextFor'>, serverName: string): Promise<SecureContext> {
  return contexts.contextFor(serverName.toLowerCase().replace(/\.$/, ''))
}
