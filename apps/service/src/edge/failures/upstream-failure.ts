import { ServiceError } from '@tunnel/models'
import type { ResetCode, StreamEnding } from '@tunnel/session-protocol'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { UpstreamFailure } from '../forward/upstream-exchange.ts'

/** Why the agent could not connect, in words for the visitor. */
const dialCauses: Partial<Record<ResetCode, string>> = {
  upstream_refused: 'the connection was refused',
  upstream_unreachable: 'the address cannot be reached',
  upstream_timeout: 'connecting took too long',
  upstream_tls_failed: 'the TLS handshake failed',
}

/** No upstream can have read a byte of what was sent. */
export function isUnreached(ending: UpstreamFailure | StreamEnding): boolean {
  return ending.kind === 'reset' && (ending.code === 'refused' || dialCauses[ending.code] !== undefined)
}

/** Nothing of the request has acted anywhere: the agent reached no upstream, or the upstream says so. */
export function isUntouched(failure: UpstreamFailure): boolean {
  return failure.kind === 'unprocessed' || isUnreached(failure)
}

/** The failure of an exchange as the visitor gets it. */
export function upstreamError(failure: UpstreamFailure, tunnel: EdgeTunnel, hostName: string): ServiceError {
  const address = tunnel.forwardsTo
  switch (failure.kind) {
    case 'invalid':
      return new ServiceError('upstream_response_invalid', { address, rule: failure.rule })
    case 'closed':
    case 'unprocessed':
      return new ServiceError('upstream_connection_lost', { address })
    case 'session_lost':
      return new ServiceError('agent_offline', { host: hostName }, { cause: failure.message })
    case 'reset':
      return resetError(failure.code, failure.message, address, hostName)
  }
}

function resetError(code: ResetCode, message: string, address: string, hostName: string): ServiceError {
  const cause = dialCauses[code]
  if (cause !== undefined) return new ServiceError('upstream_unreachable', { address, cause }, { cause: message })
  if (code === 'refused') return new ServiceError('agent_offline', { host: hostName }, { cause: message })
  return new ServiceError('upstream_connection_lost', { address }, { cause: message })
}
