import {
  type Endpoint,
  endpointModel,
  reservedAddrModel,
  reservedDomainModel,
  tunnelModel,
  tunnelSessionModel,
  wireTime,
} from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { Records } from '../../storage/records.ts'
import { addrReservation, domainReservation } from '../edges/hostports.ts'
import { refTo } from '../kernel/refs.ts'
import type { OnlineTunnel } from '../tunnel-sessions/online.ts'
import { endpointId, protocolOf } from '../tunnel-sessions/online-replies.ts'
import {
  type OnlineCollection,
  type OnlineItems,
  itemsInMemory,
  newestFirst,
  oneByOne,
} from '../tunnel-sessions/online-routes.ts'
import type { EdgeEndpoint } from './edge-endpoints.ts'

interface TunnelEndpoint {
  readonly id: string
  readonly publicUrl: string
  readonly tunnel: OnlineTunnel
}

interface EndpointSources {
  readonly tunnels: (accountId: string) => readonly OnlineTunnel[]
  readonly edges: OnlineItems<EdgeEndpoint>
  readonly records: Records
  readonly region: string
}

/** Public addresses: of tunnels while they are online, and of edges. */
export function endpoints(sources: EndpointSources): OnlineCollection<TunnelEndpoint | EdgeEndpoint> {
  const { edges } = sources
  const tunnels = itemsInMemory((accountId) => endpointsOf(sources.tunnels(accountId)))
  return {
    model: endpointModel,
    items: {
      page: async (call, count, beforeId) => {
        const pages = await Promise.all([tunnels, edges].map((source) => source.page(call, count, beforeId)))
        return newestFirst<TunnelEndpoint | EdgeEndpoint>(pages.flat(), count)
      },
      find: async (call, id) => (await tunnels.find(call, id)) ?? edges.find(call, id),
    },
    replies: oneByOne((endpoint, call) =>
      'edge' in endpoint ? edgeReply(endpoint, sources, call) : tunnelReply(endpoint, sources.records, call),
    ),
  }
}

/** A tunnel that is reached by its labels has no address. */
function endpointsOf(tunnels: readonly OnlineTunnel[]): TunnelEndpoint[] {
  return tunnels.flatMap((tunnel) =>
    tunnel.publicUrl === null ? [] : [{ id: endpointId(tunnel.id), publicUrl: tunnel.publicUrl, tunnel }],
  )
}

async function tunnelReply({ id, publicUrl, tunnel }: TunnelEndpoint, records: Records, call: Call): Promise<Endpoint> {
  const created_at = wireTime(tunnel.startedAtMs)
  const proto = protocolOf(publicUrl)
  const hostport = hostportOf(publicUrl)
  return {
    ...refTo(call, id, endpointModel),
    created_at,
    updated_at: created_at,
    type: 'ephemeral',
    proto,
    public_url: publicUrl,
    url: publicUrl,
    hostport,
    bindings: ['public'],
    pooling_enabled: false,
    region: tunnel.region,
    metadata: tunnel.metadata === '' ? undefined : tunnel.metadata,
    tunnel: refTo(call, tunnel.id, tunnelModel),
    tunnel_session: refTo(call, tunnel.sessionId, tunnelSessionModel),
    ...(await reservationRefs({ proto, hostport }, records, call)),
  }
}

async function edgeReply(endpoint: EdgeEndpoint, { records, region }: EndpointSources, call: Call): Promise<Endpoint> {
  const { id, edge, edges, proto, hostport } = endpoint
  const created_at = wireTime(edge.createdAt)
  const url = `${proto}://${proto === 'tcp' ? hostport : hostport.replace(/:443$/, '')}`
  return {
    ...refTo(call, id, endpointModel),
    created_at,
    updated_at: created_at,
    type: 'edge',
    proto,
    public_url: url,
    url,
    hostport,
    bindings: ['public'],
    pooling_enabled: false,
    region,
    edge: refTo(call, edge.id, edges.model),
    ...(await reservationRefs(endpoint, records, call)),
  }
}

/** What the account has reserved of the address, if anything. */
async function reservationRefs(
  { proto, hostport }: Pick<Endpoint, 'proto' | 'hostport'>,
  records: Records,
  call: Call,
): Promise<Pick<Endpoint, 'domain' | 'tcp_addr'>> {
  const { accountId } = call.caller
  if (proto === 'tcp') {
    const addrId = await addrReservation(records, hostport, accountId)
    return addrId === undefined ? {} : { tcp_addr: refTo(call, addrId, reservedAddrModel) }
  }
  const domainId = await domainReservation(records, hostport.replace(/:\d+$/, ''), accountId)
  return domainId === undefined ? {} : { domain: refTo(call, domainId, reservedDomainModel) }
}

function hostportOf(publicUrl: string): string {
  const { hostname, port, protocol } = new URL(publicUrl)
  return `${hostname}:${port === '' ? (protocol === 'http:' ? 80 : 443) : port}`
}
