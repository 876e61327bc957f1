import { ServiceError } from '@tunnel/models'
import type { EndpointLookup } from '../endpoint-lookup.ts'
import type { Stage } from '../pipeline.ts'

/** Finds the tunnel or the edge that the host name of the request leads to. */
export function lookup(endpoints: EndpointLookup): Stage {
  return (exchange, next) => {
    const { hostName } = exchange.request
    const endpoint = endpoints.find(hostName)
    switch (endpoint.kind) {
      case 'online':
        // Its visitors speak TLS with the upstream: nothing here could answer for it.
        if (endpoint.tunnel.protocol === 'tls') throw new ServiceError('endpoint_not_found', { host: hostName })
        exchange.tunnel = endpoint.tunnel
        return next()
      case 'edge':
        exchange.edge = endpoint.edge
        return next()
      case 'offline':
        throw new ServiceError('agent_offline', { host: hostName })
      case 'raw-edge':
      case 'unknown':
        throw new ServiceError('endpoint_not_found', { host: hostName })
    }
  }
}
