import { ServiceError } from '@tunnel/models'
import type { Stage } from '../pipeline.ts'
import type { TlsTerms } from '../tls-terms.ts'
import type { Visitor } from '../visitor/visitor.ts'

/**
 * Holds every request against what its edge asks of TLS. A connection may have been opened for another name that the same
 * certificate stands for, or before the edge was changed: what it has proved then counts for nothing here.
 */
export const requireTls: Stage = (exchange, next) => {
  const { edge, visitor, request } = exchange
  if (edge === undefined) return next()
  const { hostName: host } = request
  const failure = failureOf(edge.tls, visitor, host)
  if (failure === null) return next()
  // Whoever keeps the connection would only be told the same again.
  exchange.fail(failure, { moreHeaders: request.version === '2.0' ? [] : ['Connection', 'close'] })
}

function failureOf({ clients, minVersion }: TlsTerms, visitor: Visitor, host: string): ServiceError | null {
  const { tls, clientProof } = visitor
  if (clients !== null && tls === undefined) return new ServiceError('client_certificate_required', { host })
  if (tls !== undefined && minVersion === 'TLSv1.3' && tls.version !== minVersion)
    return new ServiceError('connection_not_for_host', { host })
  if (clients === null) return null
  if (clientProof?.trustKey !== clients.key) return new ServiceError('connection_not_for_host', { host })
  return clientProof.isProven ? null : new ServiceError('client_certificate_required', { host })
}
