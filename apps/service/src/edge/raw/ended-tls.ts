import type { TLSSocket } from 'node:tls'
import type { EndpointLookup } from '../endpoint-lookup.ts'
import { keyOfTerms, type TlsTerms } from '../tls-terms.ts'
import { visitorOf } from '../visitor/visitor.ts'
import { joinRaw, type RawDeps } from './raw-connections.ts'

export interface EndedTlsDeps extends RawDeps {
  readonly endpoints: EndpointLookup
}

/** Joins what is within a TLS connection with the TLS edge of its name, if the edge still asks for the terms that were met. */
export function joinEnded(socket: TLSSocket, met: TlsTerms, deps: EndedTlsDeps): void {
  const { serverName = '' } = visitorOf(socket)
  const endpoint = deps.endpoints.find(serverName)
  const termination = endpoint.kind === 'raw-edge' ? endpoint.edge.termination : null
  if (endpoint.kind !== 'raw-edge' || termination === null || keyOfTerms(termination) !== keyOfTerms(met))
    socket.destroy()
  else joinRaw(socket, endpoint.edge, Buffer.alloc(0), serverName, deps)
}
