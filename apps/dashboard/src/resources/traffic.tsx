import { commonFields, type ResourceView } from '../resource/resource-view.ts'
import type { HttpResponse, IpPolicy, TunnelGroup } from '../resource/shapes.ts'
import { IpPolicyRules } from './ip-policy-rules.tsx'

export const tunnelGroupView: ResourceView<TunnelGroup> = {
  collection: { path: '/backends/tunnel_group', listKey: 'backends' },
  page: 'tunnel-groups',
  title: 'Tunnel groups',
  singular: 'tunnel group',
  intro: 'Select every online tunnel that carries these labels; a route spreads its requests over them.',
  empty: { text: 'Create a group, then start a tunnel with its labels on each device.' },
  nameOf: (group) => group.description || group.id,
  columns: [
    { id: 'description', title: 'Description', text: (group) => group.description ?? group.id },
    { id: 'labels', title: 'Labels', text: (group) => mapText(group.labels) },
    { id: 'tunnels', title: 'Tunnels online', text: (group) => String(group.tunnels.length) },
  ],
  fields: [{ kind: 'map', name: 'labels', label: 'Labels' }, ...commonFields],
  details: (group) => [
    ['Labels', mapText(group.labels)],
    ['Tunnels online', group.tunnels.length === 0 ? 'none' : group.tunnels.map(({ id }) => id).join(', ')],
  ],
  deleteConsequence: () => 'Routes that forward to it answer with an error until they get another backend.',
}

export const httpResponseView: ResourceView<HttpResponse> = {
  collection: { path: '/backends/http_response', listKey: 'backends' },
  page: 'http-responses',
  title: 'HTTP responses',
  singular: 'HTTP response',
  intro: 'Fixed answers, for maintenance pages, redirects or robots.txt.',
  empty: { text: 'Create one and point a route of an edge at it.' },
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
    ['Headers', mapText(response.headers ?? {})],
    ['Body', <pre key="body">{response.body}</pre>],
  ],
  deleteConsequence: () => 'Routes that answer with it fail until they get another backend.',
}

export const ipPolicyView: ResourceView<IpPolicy> = {
  collection: { path: '/ip_policies', listKey: 'ip_policies' },
  page: 'ip-policies',
  title: 'IP policies',
  singular: 'IP policy',
  intro:
    'Lists of address ranges that are allowed or denied. An address passes when an allow rule matches and no deny rule does.',
  empty: { text: 'Create a policy, add rules, then attach it to a route.' },
  nameOf: (policy) => policy.description || policy.id,
  columns: [
    { id: 'description', title: 'Description', text: (policy) => policy.description ?? policy.id },
    { id: 'id', title: 'Id', text: (policy) => policy.id },
  ],
  fields: commonFields,
  details: () => [],
  more: (policy) => <IpPolicyRules policyId={policy.id} />,
  deleteConsequence: () => 'It can be deleted only while no restriction uses it. Its rules go with it.',
}

function mapText(map: Readonly<Record<string, string>>): string {
  return Object.entries(map)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}
