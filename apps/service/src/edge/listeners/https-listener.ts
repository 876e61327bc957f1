import type { Server as Http1Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import { createServer, type SecureContext, type Server } from 'node:tls'
import type { CertificateSource } from '../certificate-source.ts'
import type { EdgeLimits } from '../limits.ts'

/** Ends TLS and hands the connection to the server of the protocol that was agreed on (ALPN). */
export function createHttpsListener(
  certificates: CertificateSource,
  http1: Http1Server,
  http2: Http2Server,
  limits: EdgeLimits,
): Server {
  const listener = createServer({
    ...certificates.fallback(),
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2', 'http/1.1'],
    handshakeTimeout: limits.tlsHandshakeMs,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    SNICallback: (serverName, done) => chooseContext(certificates, serverName, done),
  })
  listener.maxConnections = limits.maxConnections
  listener.on('secureConnection', (socket) => {
    const server = socket.alpnProtocol === 'h2' ? http2 : http1
    server.emit('connection', socket)
  })
  // A handshake that fails concerns only that visitor.
  listener.on('tlsClientError', (_error, socket) => socket.destroy())
  return listener
}

type ContextChosen = (error: Error | null, context?: SecureContext) => void

/** Whatever goes wrong here ends this handshake: an exception thrown out of the callback would end the process. */
function chooseContext(certificates: CertificateSource, serverName: string, done: ContextChosen): void {
  try {
    const context = certificates.contextFor(serverName.toLowerCase().replace(/\.$/, ''))
    if (context instanceof Promise) context.then((value) => done(null, value), failWith(done))
    else done(null, context)
  } catch (error) {
    failWith(done)(error)
  }
}

function failWith(done: ContextChosen): (error: unknown) => void {
  return (error) => done(error instanceof Error ? error : new Error('no certificate', { cause: error }))
}
