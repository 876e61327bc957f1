import {
  type Endpoint,
  type Tunnel,
  type TunnelSession,
  credentialModel,
  endpointModel,
  sshCredentialModel,
  tunnelModel,
  tunnelSessionModel,
  wireTime,
} from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import { refTo } from '../kernel/refs.ts'
import type { OnlineSession, OnlineTunnel } from './online.ts'

export function sessionReply(session: OnlineSession, call: Call): TunnelSession {
  return {
    ...refTo(call, session.id, tunnelSessionModel),
    agent_version: session.agentVersion,
    credential: refTo(call, session.credentialId, credentialModel, sshCredentialModel),
    ip: session.ip,
    metadata: session.metadata === '' ? undefined : session.metadata,
    os: session.os,
    region: session.region,
    started_at: wireTime(session.startedAtMs),
    transport: session.transport,
  }
}

export function tunnelReply(tunnel: OnlineTunnel, call: Call): Tunnel {
  const { id, region, publicUrl, labels } = tunnel
  const shared = {
    id,
    region,
    started_at: wireTime(tunnel.startedAtMs),
    forwards_to: tunnel.forwardsTo,
    tunnel_session: refTo(call, tunnel.sessionId, tunnelSessionModel),
    metadata: tunnel.metadata === '' ? undefined : tunnel.metadata,
  }
  if (publicUrl === null) return { ...shared, labels: { ...labels } }
  const endpoint = refTo(call, endpointId(id), endpointModel)
  return { ...shared, public_url: publicUrl, proto: protocolOf(publicUrl), endpoint }
}

/** A public address that is online. */
export interface OnlineEndpoint {
  readonly id: string
  readonly publicUrl: string
  readonly tunnel: OnlineTunnel
}

/** The addresses of tunnels; one that is reached by its labels has none. */
export function endpointsOf(tunnels: readonly OnlineTunnel[]): OnlineEndpoint[] {
  return tunnels.flatMap((tunnel) =>
    tunnel.publicUrl === null ? [] : [{ id: endpointId(tunnel.id), publicUrl: tunnel.publicUrl, tunnel }],
  )
}

export function endpointReply({ id, publicUrl, tunnel }: OnlineEndpoint, call: Call): Endpoint {
  const created_at = wireTime(tunnel.startedAtMs)
  return {
    ...refTo(call, id, endpointModel),
    created_at,
    updated_at: created_at,
    type: 'ephemeral',
    proto: protocolOf(publicUrl),
    public_url: publicUrl,
    url: publicUrl,
    hostport: hostportOf(publicUrl),
    bindings: ['public'],
    pooling_enabled: false,
    region: tunnel.region,
    metadata: tunnel.metadata === '' ? undefined : tunnel.metadata,
    tunnel: refTo(call, tunnel.id, tunnelModel),
    tunnel_session: refTo(call, tunnel.sessionId, tunnelSessionModel),
  }
}

/** A tunnel and its endpoint share the part of their ids behind the prefix. */
function endpointId(tunnelId: string): string {
  return `${endpointModel.prefix}${tunnelId.slice(tunnelId.indexOf('_'))}`
}

function protocolOf(publicUrl: string): Endpoint['proto'] {
  const scheme = new URL(publicUrl).protocol.slice(0, -1)
  return scheme === 'http' || scheme === 'tcp' || scheme === 'tls' ? scheme : 'https'
}

function hostportOf(publicUrl: string): string {
  const { hostname, port, protocol } = new URL(publicUrl)
  return `${hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}
