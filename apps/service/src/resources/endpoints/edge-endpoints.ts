import { createHash } from 'node:crypto'
import { endpointModel, idBehind, idPrefix } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { Page } from '../../api/paging.ts'
import type { EdgeBody } from '../edges/edge-body.ts'
import type { Stored } from '../kernel/definition.ts'
import type { OnlineItems } from '../tunnel-sessions/online-routes.ts'

const edgesAtOnce = 100
const distanceBytes = 6

/** A public address of an edge. */
export interface EdgeEndpoint {
  readonly id: string
  readonly proto: 'https' | 'tcp' | 'tls'
  readonly hostport: string
  readonly edge: Stored<EdgeBody>
  readonly edges: EdgeCollection
}

interface EdgeCollection {
  readonly model: { readonly prefix: string; readonly path: string }
  list(page: Page, call: Call): Promise<Stored<EdgeBody>[]>
}

type EdgeCollections = Readonly<Record<'httpsEdges' | 'tcpEdges' | 'tlsEdges', EdgeCollection>>

/** The public addresses of all edges of an account, read page by page. */
export function edgeEndpoints({ httpsEdges, tcpEdges, tlsEdges }: EdgeCollections): OnlineItems<EdgeEndpoint> {
  const kinds = [
    { proto: 'https', edges: httpsEdges },
    { proto: 'tcp', edges: tcpEdges },
    { proto: 'tls', edges: tlsEdges },
  ] as const
  return {
    page: async (call, count, beforeId) => {
      const pages = await Promise.all(kinds.map((kind) => endpointsOf(kind, call, count, beforeId)))
      return pages.flat()
    },
    find: async (call, id) => {
      if (idPrefix(id) !== endpointModel.prefix) return undefined
      for (const kind of kinds) {
        const found = await newestUpTo(kind, call, id)
        if (found !== undefined) return found
      }
      return undefined
    },
  }
}

type Kind = Pick<EdgeEndpoint, 'proto' | 'edges'>

async function endpointsOf(kind: Kind, call: Call, count: number, beforeId?: string): Promise<EdgeEndpoint[]> {
  const found: EdgeEndpoint[] = []
  let before = beforeId?.replace(/^ep_/, `${kind.edges.model.prefix}_`)
  for (;;) {
    const edges = await kind.edges.list({ limit: edgesAtOnce, beforeId: before }, call)
    const endpoints = edges.flatMap((edge) => addressesOf(kind, edge))
    found.push(...endpoints.filter(({ id }) => beforeId === undefined || id < beforeId))
    before = edges.at(-1)?.id
    if (edges.length < edgesAtOnce || found.length >= count) return found
  }
}

/** An endpoint stands right behind its edge, so only the newest edge up to it can be the one. */
async function newestUpTo(kind: Kind, call: Call, id: string): Promise<EdgeEndpoint | undefined> {
  const beforeId = idBehind(kind.edges.model.prefix, id, 1)
  const [edge] = await kind.edges.list({ limit: 1, beforeId }, call)
  return edge && addressesOf(kind, edge).find((endpoint) => endpoint.id === id)
}

function addressesOf(kind: Kind, edge: Stored<EdgeBody>): EdgeEndpoint[] {
  return (edge.body.hostports ?? []).map((hostport) => ({ id: endpointId(edge.id, hostport), ...kind, hostport, edge }))
}

/** Follows from edge and address, so that it stays the same while other addresses come and go. */
function endpointId(edgeId: string, hostport: string): string {
  const distance = createHash('sha256').update(hostport).digest().readUIntBE(0, distanceBytes)
  return idBehind(endpointModel.prefix, edgeId, distance)
}
