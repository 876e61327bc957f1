import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import type { Resource } from '../api/collection.ts'
import { EdgeRoutes } from './edge-routes.tsx'

export interface Route extends Resource {
  readonly match_type: 'exact_path' | 'path_prefix'
  readonly match: string
  readonly backend: { readonly enabled: boolean; readonly backend: { readonly id: string } } | null
  readonly ip_restriction: {
    readonly enabled: boolean
    readonly ip_policies: readonly { readonly id: string }[]
  } | null
}

export interface HttpsEdge extends Resource {
  readonly hostports: readonly string[] | null
  readonly routes: readonly Route[]
}

export const httpsEdgeView: ResourceView<HttpsEdge> = {
  collection: { path: '/edges/https', listKey: 'https_edges' },
  page: 'edges',
  title: 'HTTPS edges',
  singular: 'edge',
  intro: 'Reserved names whose paths go to different backends, each with its own restrictions.',
  empty: { text: 'Reserve a domain, create an edge for it, then give it routes.' },
  nameOf: (edge) => edge.description || edge.hostports?.join(', ') || edge.id,
  columns: [
    { id: 'hosts', title: 'Names', text: (edge) => edge.hostports?.join(', ') ?? '' },
    { id: 'routes', title: 'Routes', text: (edge) => String(edge.routes.length) },
    { id: 'description', title: 'Description', text: (edge) => edge.description ?? '' },
  ],
  fields: [
    { kind: 'lines', name: 'hostports', label: 'Names and ports', hint: 'One per line, such as app.example.com:443.' },
    ...commonFields,
  ],
  details: (edge) => [['Names', edge.hostports?.join(', ')]],
  more: (edge) => <EdgeRoutes edge={edge} />,
  deleteConsequence: (edge) => `Requests to ${edge.hostports?.join(', ') || 'its names'} are no longer routed.`,
}
