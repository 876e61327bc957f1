import { type TSchema, Type } from 'typebox'
import {
  type EdgeModuleName,
  edgeModules,
  fieldErrorsWithin,
  httpsEdgeModuleNames,
  refusalsOfModule,
  routeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from './edge-modules.ts'
import { described, nullable } from './fields.ts'
import { type FieldErrors, type ReplyOf, defineModel } from './resource-model.ts'

export const hostportsMax = 100
const Hostports = Type.Array(Type.String({ 'x-maxBytes': 260, description: 'name:port' }), { maxItems: hostportsMax })
const MatchType = Type.Enum(['exact_path', 'path_prefix'])
const Match = Type.String({ 'x-maxBytes': 1024 })
const TcpHostports = Type.Array(Hostports.items, { maxItems: hostportsMax, examples: [['1.tcp.example.com:20000']] })
const edgeSettable = { ...described, hostports: Type.Optional(Hostports) }
const edgeShown = { ...described, hostports: nullable(Hostports) }
const edgeErrors = {
  'description:x-maxBytes': 'edge_description_too_long',
  'metadata:x-maxBytes': 'edge_metadata_too_long',
} satisfies FieldErrors
const hostportRefusals = ['hostport_invalid', 'hostport_not_reserved', 'hostport_taken'] as const
const namePortRefusals = [...hostportRefusals, 'hostport_port_not_443'] as const

/** A part of an HTTPS edge: which modules requests to one path go through. */
export const httpsEdgeRouteModel = defineModel({
  name: 'HTTPSEdgeRoute',
  title: 'HTTPS edge route',
  path: '/edges/https/{edge_id}/routes',
  prefix: 'edghtsrt',
  listKey: 'routes',
  parentPrefix: 'edghts',
  create: { ...described, match_type: MatchType, match: Match, ...writes(routeModuleNames) },
  update: {
    ...described,
    match_type: Type.Optional(MatchType),
    match: Type.Optional(Match),
    ...writes(routeModuleNames),
  },
  reply: {
    ...described,
    edge_id: Type.String(),
    match_type: MatchType,
    match: Type.String(),
    ...replies(routeModuleNames),
  },
  fieldErrors: {
    ...edgeErrors,
    ...fieldErrorsWithin(routeModuleNames),
    'match:required': 'route_match_missing',
    'match:x-maxBytes': 'route_match_too_long',
    'match_type:enum': 'route_match_type_invalid',
  },
  refusals: ['route_match_not_path', 'route_match_taken', ...routeModuleNames.flatMap(refusalsOfModule)],
})
export type HttpsEdgeRoute = ReplyOf<typeof httpsEdgeRouteModel>

/** Public HTTPS names and the routes behind them. */
export const httpsEdgeModel = defineModel({
  name: 'HTTPSEdge',
  title: 'HTTPS edge',
  path: '/edges/https',
  prefix: 'edghts',
  listKey: 'https_edges',
  create: { ...edgeSettable, ...writes(httpsEdgeModuleNames) },
  update: { ...edgeSettable, ...writes(httpsEdgeModuleNames) },
  reply: { ...edgeShown, ...replies(httpsEdgeModuleNames), routes: Type.Array(httpsEdgeRouteModel.reply) },
  fieldErrors: { ...edgeErrors, ...fieldErrorsWithin(httpsEdgeModuleNames) },
  refusals: [...namePortRefusals, ...httpsEdgeModuleNames.flatMap(refusalsOfModule)],
})
export type HttpsEdge = ReplyOf<typeof httpsEdgeModel>

/** Public TCP addresses. */
export const tcpEdgeModel = defineModel({
  name: 'TCPEdge',
  title: 'TCP edge',
  path: '/edges/tcp',
  prefix: 'edgtcp',
  listKey: 'tcp_edges',
  create: { ...edgeSettable, hostports: Type.Optional(TcpHostports), ...writes(tcpEdgeModuleNames) },
  update: { ...edgeSettable, hostports: Type.Optional(TcpHostports), ...writes(tcpEdgeModuleNames) },
  reply: { ...edgeShown, ...replies(tcpEdgeModuleNames) },
  fieldErrors: { ...edgeErrors, ...fieldErrorsWithin(tcpEdgeModuleNames) },
  refusals: [...hostportRefusals, ...tcpEdgeModuleNames.flatMap(refusalsOfModule)],
})
export type TcpEdge = ReplyOf<typeof tcpEdgeModel>

/** Public names whose TLS connections are forwarded. */
export const tlsEdgeModel = defineModel({
  name: 'TLSEdge',
  title: 'TLS edge',
  path: '/edges/tls',
  prefix: 'edgtls',
  listKey: 'tls_edges',
  create: { ...edgeSettable, ...writes(tlsEdgeModuleNames) },
  update: { ...edgeSettable, ...writes(tlsEdgeModuleNames) },
  reply: { ...edgeShown, ...replies(tlsEdgeModuleNames) },
  fieldErrors: { ...edgeErrors, ...fieldErrorsWithin(tlsEdgeModuleNames) },
  refusals: [...namePortRefusals, ...tlsEdgeModuleNames.flatMap(refusalsOfModule)],
})
export type TlsEdge = ReplyOf<typeof tlsEdgeModel>

type Modules = typeof edgeModules

function writes<N extends EdgeModuleName>(names: readonly N[]) {
  const entries = names.map((name) => [name, Type.Optional(edgeModules[name].write as TSchema)])
  return Object.fromEntries(entries) as { [K in N]: ReturnType<typeof Type.Optional<Modules[K]['write']>> }
}

function replies<N extends EdgeModuleName>(names: readonly N[]) {
  const entries = names.map((name) => [name, nullable(edgeModules[name].reply as TSchema)])
  return Object.fromEntries(entries) as { [K in N]: ReturnType<typeof nullable<Modules[K]['reply']>> }
}
