import {
  type Endpoint,
  type Tunnel,
  type TunnelSession,
  credentialModel,
  endpointModel,
  sshCredentialModel,
  tunnelGroupBackendModel,
  tunnelSessionModel,
  wireTime,
} from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import { refTo } from '../kernel/refs.ts'
import { servesGroup } from './labels.ts'
import type { OnlineSession, OnlineTunnel } from './online.ts'

export function sessionReply(session: OnlineSession, call: Call): TunnelSession {
  const { agentVersion, metadata, os } = session.hello
  return {
    ...refTo(call, session.id, tunnelSessionModel),
    agent_version: agentVersion,
    credential: refTo(call, session.credentialId, credentialModel, sshCredentialModel),
    ip: session.ip,
    metadata: metadata === '' ? undefined : metadata,
    os,
    region: session.region,
    started_at: wireTime(session.startedAtMs),
    transport: session.transport,
  }
}

/** A group that forwards to the tunnels with its labels. */
interface TunnelGroup {
  readonly id: string
  readonly body: { readonly labels: Readonly<Record<string, string>> }
}

/** Tunnels, those with labels together with the groups that they serve. */
export function tunnelReplies(
  groups: (call: Call) => Promise<readonly TunnelGroup[]>,
): (tunnels: readonly OnlineTunnel[], call: Call) => Promise<Tunnel[]> {
  return async (tunnels, call) => {
    const known = tunnels.some(({ publicUrl }) => publicUrl === null) ? await groups(call) : []
    return tunnels.map((tunnel) => tunnelReply(tunnel, known, call))
  }
}

function tunnelReply(tunnel: OnlineTunnel, groups: readonly TunnelGroup[], call: Call): Tunnel {
  const { id, region, publicUrl, labels } = tunnel
  const shared = {
    id,
    region,
    started_at: wireTime(tunnel.startedAtMs),
    forwards_to: tunnel.forwardsTo,
    tunnel_session: refTo(call, tunnel.sessionId, tunnelSessionModel),
    metadata: tunnel.metadata === '' ? undefined : tunnel.metadata,
  }
  if (publicUrl === null) {
    const served = groups.filter(({ body }) => servesGroup(labels, body.labels))
    const backends = served.map((group) => refTo(call, group.id, tunnelGroupBackendModel))
    return { ...shared, labels: { ...labels }, backends }
  }
  const endpoint = refTo(call, endpointId(id), endpointModel)
  return { ...shared, public_url: publicUrl, proto: protocolOf(publicUrl), endpoint }
}

/** A tunnel and its endpoint share the part of their ids behind the prefix. */
export function endpointId(tunnelId: string): string {
  return `${endpointModel.prefix}${tunnelId.slice(tunnelId.indexOf('_'))}`
}

export function protocolOf(publicUrl: string): Endpoint['proto'] {
  const scheme = new URL(publicUrl).protocol.slice(0, -1)
  return scheme === 'http' || scheme === 'tcp' || scheme === 'tls' ? scheme : 'https'
}
