import type { Server as Http1Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import { createServer, type SecureContext, type Server } from 'node:tls'
import { callbackify } from 'node:util'
import type { CertificateSource, TicketKeySource } from '../certificate-source.ts'
import type { EdgeLimits } from '../limits.ts'
import type { ProxiedConnections } from '../proxy-protocol/proxied-connections.ts'

export interface HttpsListenerDeps {
  readonly certificates: CertificateSource
  readonly ticketKeys?: TicketKeySource
  readonly proxied: ProxiedConnections | null
}

/** Sessions are resumed only where this is the same; Node's default differs between processes. */
const sessionIdContext = 'tunnel-edge'

/** Ends TLS and hands the connection to the server of the protocol that was agreed on (ALPN). */
export function createHttpsListener(
  { certificates, ticketKeys, proxied }: HttpsListenerDeps,
  http1: Http1Server,
  http2: Http2Server,
  limits: EdgeLimits,
): Server {
  const withoutName = () => ({
    ...certificates.fallback(),
    minVersion: 'TLSv1.2' as const,
    sessionIdContext,
    ...(ticketKeys === undefined ? {} : { ticketKeys: ticketKeys.current }),
  })
  const listener = createServer({
    ...withoutName(),
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.tlsHandshakeMs,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    SNICallback: callbackify((serverName: string) => contextOf(certificates, serverName)),
  })
  listener.maxConnections = limits.maxConnections
  const refresh = setInterval(() => listener.setSecureContext(withoutName()), limits.certificateRefreshMs)
  ticketKeys?.onRotated((keys) => listener.setTicketKeys(keys))
  listener.on('close', () => clearInterval(refresh))
  listener.on('secureConnection', (socket) => {
    proxied?.adopt(socket)
    const server = socket.alpnProtocol === 'h2' ? http2 : http1
    server.emit('connection', socket)
  })
  // Makes Node's first read buffer 16 KiB. It would be as small as the ClientHello that `tls-front` has read, and be used again
  // for every second read. There is nothing to resume here: tickets bring their state along.
  listener.on('resumeSession', (_id: Buffer, done: (error: null, session: null) => void) => done(null, null))
  // A handshake that fails concerns only that visitor.
  listener.on('tlsClientError', (_error, socket) => socket.destroy())
  return listener
}

/** An exception out of SNICallback would end the process; as a rejection it ends this handshake. */
async function contextOf(certificates: CertificateSource, serverName: string): Promise<SecureContext> {
  return certificates.contextFor(serverName.toLowerCase().replace(/\.$/, ''))
}
