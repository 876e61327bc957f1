import {
  type HttpsEdge,
  type TcpEdge,
  type TlsEdge,
  httpsEdgeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from '@tunnel/models'
import { Link } from 'react-router'
import { api } from '../api/client.ts'
import { commonFields, type FieldSpec, type ResourceView } from '../resource/resource-view.ts'
import { EdgeRoutes } from './edge-routes.tsx'
import { ModuleList } from './module-list.tsx'

interface ReserveFirstProps {
  readonly what: string
  readonly page: string
  readonly then: string
}

function ReserveFirst({ what, page, then }: ReserveFirstProps) {
  return (
    <>
      <Link to={`/${page}`}>
        Reserve {what === 'address' ? 'an' : 'a'} {what}
      </Link>
      , create an edge for it, then {then}.
    </>
  )
}

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
  empty: {
    text: <ReserveFirst what="domain" page="reserved-domains" then="give it routes" />,
    example: { fields: (zone) => ({ hostports: [`app.${zone}:443`] }) },
  },
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
  empty: {
    text: <ReserveFirst what="address" page="reserved-addresses" then="choose its backend" />,
    example: { fields: (zone) => ({ hostports: [`${zone}:…`] }) },
  },
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
  empty: {
    text: <ReserveFirst what="domain" page="reserved-domains" then="choose its backend" />,
    example: { fields: (zone) => ({ hostports: [`tls.${zone}:443`] }) },
  },
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
