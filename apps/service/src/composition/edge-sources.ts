import type { Resources } from '../resources/all-resources.ts'
import type { EdgeSources, LabelledTunnels, StoredBackend } from '../routing/edge-sources.ts'
import type { ItemSource } from '../routing/mirror.ts'

/** Shows routing what the management API has stored. */
export function edgeSources(resources: Resources, tunnels: LabelledTunnels): EdgeSources {
  const { httpsEdges, httpsEdgeRoutes, certificateAuthorities } = resources
  return {
    edges: httpsEdges,
    routes: httpsEdgeRoutes,
    backends: allBackends(resources),
    authorities: certificateAuthorities,
    tunnels,
  }
}

/** The types of backends as one collection; the prefix of an id tells them apart. */
function allBackends(resources: Resources): ItemSource<StoredBackend> {
  const types: readonly ItemSource<StoredBackend>[] = [
    resources.tunnelGroupBackends,
    resources.httpResponseBackends,
    resources.staticBackends,
    resources.weightedBackends,
    resources.failoverBackends,
  ]
  return {
    all: async () => (await Promise.all(types.map((type) => type.all()))).flat(),
    find: async (id) => {
      for (const type of types) {
        const item = await type.find(id)
        if (item !== undefined) return item
      }
      return undefined
    },
  }
}
