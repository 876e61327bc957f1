import {
  type HttpsEdge,
  type TcpEdge,
  type TlsEdge,
  httpsEdgeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from '@tunnel/models'
import { api } from '../api/client.ts'
import { commonFields, type FieldSpec, type ResourceView } from '../resource/resource-view.ts'
import { EdgeRoutes } from './edge-routes.tsx'
import { ModuleList } from './module-list.tsx'

type Edge = HttpsEdge | TcpEdge | TlsEdge

function hostports(example: string): FieldSpec {
  return { kind: 'lines', name: 'hostports', label: 'Names and ports', hint: `One per line, such as ${example}.` }
}

function names(edge: Edge): string {
  return edge.hostports?.join(', ') ?? ''
}

function nameOf(edge: Edge): string {
  return edge.description || names(edge) || edge.id
}

const description = { id: 'description', title: 'Description', text: (edge: Edge) => edge.description ?? '' }
const hosts = { id: 'hosts', title: 'Names', text: names, width: 240 }

export const httpsEdgeView: ResourceView<HttpsEdge> = {
  listing: api.httpsEdges,
  page: 'edges',
  title: 'HTTPS edges',
  singular: 'edge',
  intro: 'Reserved names whose paths go to different backends, each with its own restrictions.',
  empty: { text: 'Reserve a domain, create an edge for it, then give it routes.' },
  nameOf,
  columns: [
    hosts,
    { id: 'routes', title: 'Routes', text: (edge) => String(edge.routes.length), width: 90 },
    description,
  ],
  fields: [hostports('app.example.com:443'), ...commonFields],
  details: (edge) => [['Names', names(edge)]],
  more: (edge) => (
    <>
      <EdgeRoutes edge={edge} />
      <h2>Modules of the whole edge</h2>
      <div className="card">
        <ModuleList of="the edge" names={httpsEdgeModuleNames} holder={edge} calls={api.modulesOfHttpsEdge(edge.id)} />
      </div>
    </>
  ),
  deleteConsequence: (edge) => `Requests to ${names(edge) || 'its names'} are no longer routed.`,
}

export const tcpEdgeView: ResourceView<TcpEdge> = {
  listing: api.tcpEdges,
  page: 'tcp-edges',
  title: 'TCP edges',
  singular: 'TCP edge',
  intro: 'Reserved addresses whose connections go to a backend as they are.',
  empty: { text: 'Reserve an address, create an edge for it, then choose its backend.' },
  nameOf,
  columns: [{ ...hosts, title: 'Addresses' }, description],
  fields: [hostports('tcp.example.com:20001'), ...commonFields],
  details: (edge) => [['Addresses', names(edge)]],
  more: (edge) => (
    <>
      <h2>Modules</h2>
      <div className="card">
        <ModuleList of="the edge" names={tcpEdgeModuleNames} holder={edge} calls={api.modulesOfTcpEdge(edge.id)} />
      </div>
    </>
  ),
  deleteConsequence: (edge) => `Connections to ${names(edge) || 'its addresses'} are refused.`,
}

export const tlsEdgeView: ResourceView<TlsEdge> = {
  listing: api.tlsEdges,
  page: 'tls-edges',
  title: 'TLS edges',
  singular: 'TLS edge',
  intro: 'Reserved names whose TLS connections go to a backend, ended here or on the device.',
  empty: { text: 'Reserve a domain, create an edge for it, then choose its backend.' },
  nameOf,
  columns: [hosts, description],
  fields: [hostports('tls.example.com:443'), ...commonFields],
  details: (edge) => [['Names', names(edge)]],
  more: (edge) => (
    <>
      <h2>Modules</h2>
      <div className="card">
        <ModuleList of="the edge" names={tlsEdgeModuleNames} holder={edge} calls={api.modulesOfTlsEdge(edge.id)} />
      </div>
    </>
  ),
  deleteConsequence: (edge) => `Connections to ${names(edge) || 'its names'} are refused.`,
}
