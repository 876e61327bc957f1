import { api } from '../api/client.ts'
import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import type {
  FailoverBackend,
  HttpResponseBackend,
  StaticBackend,
  TunnelGroupBackend,
  WeightedBackend,
} from '@tunnel/models'
import { labelsText } from '../ui/labels-text.ts'
import { Empty } from '../ui/empty.tsx'
import { anyBackend } from './any-backend.ts'
import { BackendNames } from './backend-name.tsx'
import { tunnelCommand } from './tunnel-command.ts'

export const tunnelGroupView: ResourceView<TunnelGroupBackend> = {
  listing: api.tunnelGroupBackends,
  page: 'tunnel-groups',
  title: 'Tunnel groups',
  singular: 'tunnel group',
  intro: 'Select every online tunnel that carries these labels; a route spreads its requests over them.',
  empty: {
    text: 'Create a group, then start a tunnel with its labels on each device.',
    example: { fields: () => ({ labels: { app: 'portal' } }) },
  },
  nameOf: (group) => group.description || group.id,
  columns: [
    { id: 'description', title: 'Description', text: (group) => group.description ?? group.id },
    { id: 'labels', title: 'Labels', text: (group) => labelsText(group.labels) },
    { id: 'tunnels', title: 'Tunnels online', text: (group) => String(group.tunnels.length) },
  ],
  fields: [{ kind: 'map', name: 'labels', label: 'Labels' }, ...commonFields],
  details: (group) => [
    ['Labels', labelsText(group.labels)],
    ['Tunnels online', group.tunnels.length === 0 ? 'none' : group.tunnels.map(({ id }) => id).join(', ')],
  ],
  more: ({ labels, tunnels }) =>
    tunnels.length === 0 && (
      <Empty title="No tunnel of this group is online" command={tunnelCommand({ labels })}>
        <p>Start one with its labels, on each device with a running agent:</p>
      </Empty>
    ),
  deleteConsequence: () => 'Routes that forward to it answer with an error until they get another backend.',
}

export const httpResponseView: ResourceView<HttpResponseBackend> = {
  listing: api.httpResponseBackends,
  page: 'http-responses',
  title: 'HTTP responses',
  singular: 'HTTP response',
  intro: 'Fixed answers, for maintenance pages, redirects or robots.txt.',
  empty: {
    text: 'Create one and point a route of an edge at it.',
    example: { fields: () => ({ status_code: 503, body: 'Back in ten minutes.' }) },
  },
  nameOf: (response) => response.description || response.id,
  columns: [
    { id: 'description', title: 'Description', text: (response) => response.description ?? response.id },
    { id: 'status', title: 'Status', text: (response) => String(response.status_code) },
    { id: 'body', title: 'Body', text: (response) => response.body.slice(0, 80) },
  ],
  fields: [
    { kind: 'number', name: 'status_code', label: 'Status code', hint: '200 when empty.' },
    { kind: 'map', name: 'headers', label: 'Headers' },
    { kind: 'text', name: 'body', label: 'Body', rows: 8 },
    ...commonFields,
  ],
  details: (response) => [
    ['Status', response.status_code],
    ['Headers', labelsText(response.headers ?? {})],
    ['Body', <pre key="body">{response.body}</pre>],
  ],
  deleteConsequence: () => 'Routes that answer with it fail until they get another backend.',
}

const lost = () => 'Routes that forward to it answer with an error until they get another backend.'

export const staticBackendView: ResourceView<StaticBackend> = {
  listing: api.staticBackends,
  page: 'static-backends',
  title: 'Static backends',
  singular: 'static backend',
  intro: 'Fixed addresses that the service itself connects to, such as a fallback in a data centre.',
  empty: {
    text: 'Create one for a host and port that this service can reach, then point a route of an edge at it.',
    example: { fields: () => ({ address: 'fallback.example.com:443', tls: { enabled: true } }) },
  },
  nameOf: (backend) => backend.description || backend.address,
  columns: [
    { id: 'description', title: 'Description', text: (backend) => backend.description ?? backend.id },
    { id: 'address', title: 'Address', text: ({ address }) => address },
    { id: 'tls', title: 'Carried by', text: ({ tls }) => (tls.enabled ? 'TLS' : 'plain HTTP'), width: 100 },
  ],
  fields: [
    {
      kind: 'text',
      name: 'address',
      label: 'Address',
      isRequired: true,
      hint: 'Host and port, such as app.example.com:443.',
    },
    ...commonFields,
  ],
  details: ({ address, tls }) => [
    ['Address', address],
    ['Carried by', tls.enabled ? 'TLS' : 'plain HTTP'],
  ],
  deleteConsequence: lost,
}

export const weightedView: ResourceView<WeightedBackend> = {
  listing: api.weightedBackends,
  page: 'weighted-backends',
  title: 'Weighted backends',
  singular: 'weighted backend',
  intro: 'Spread requests over other backends in the given proportion, such as 95 to 5 for a trial.',
  empty: {
    text: 'Create two backends first, such as tunnel groups; then one that weighs them.',
    example: { fields: () => ({ backends: { 'bkdtg_…': 95, 'bkdhr_…': 5 } }) },
  },
  nameOf: (backend) => backend.description || backend.id,
  columns: [
    { id: 'description', title: 'Description', text: (backend) => backend.description ?? backend.id },
    {
      id: 'weights',
      title: 'Weights',
      text: (backend) => labelsText(backend.backends),
      cell: (backend) => <Weights backends={backend.backends} />,
    },
  ],
  fields: [{ kind: 'weights', name: 'backends', label: 'Backends and their weights', to: anyBackend }, ...commonFields],
  details: (backend) => [['Weights', <Weights key="weights" backends={backend.backends} />]],
  deleteConsequence: lost,
}

export const failoverView: ResourceView<FailoverBackend> = {
  listing: api.failoverBackends,
  page: 'failover-backends',
  title: 'Failover backends',
  singular: 'failover backend',
  intro: 'Try other backends in order until one can take the request.',
  empty: {
    text: 'Create a tunnel group and an HTTP response first; then one that tries them in this order.',
    example: { fields: () => ({ backends: ['bkdtg_…', 'bkdhr_…'] }) },
  },
  nameOf: (backend) => backend.description || backend.id,
  columns: [
    { id: 'description', title: 'Description', text: (backend) => backend.description ?? backend.id },
    {
      id: 'order',
      title: 'In this order',
      text: ({ backends }) => backends.join(', '),
      cell: ({ backends }) => <BackendNames ids={backends} />,
    },
  ],
  fields: [
    {
      kind: 'reference',
      name: 'backends',
      label: 'Backends, in the order in which they are tried',
      to: anyBackend,
      isMany: true,
    },
    ...commonFields,
  ],
  details: ({ backends }) => [['In this order', <BackendNames key="order" ids={backends} />]],
  deleteConsequence: lost,
}

function Weights({ backends }: { readonly backends: Readonly<Record<string, number>> }) {
  return <BackendNames ids={Object.keys(backends)} note={(id) => `: ${backends[id]}`} />
}
