import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { ErrorReason } from '../errors/catalogue.ts'
import { Ref, TextMap, nullable } from './fields.ts'
import type { FieldErrors } from './resource-model.ts'
import { ipPoliciesPerUseMax } from './ip-restriction.ts'

export const mutualTlsAuthoritiesMax = 10
const moduleHeadersMax = 5
const policyTextMaxBytes = 256 * 1024

/** A switchable part of an edge or route: `write` is what a PUT takes, `reply` is what is shown of it. */
interface ModuleModel<Write extends TProperties = TProperties, Reply extends TProperties = TProperties> {
  readonly write: TObject<Write>
  readonly reply: TObject<Reply>
}

function module<W extends TProperties, R extends TProperties>(write: W, reply: R) {
  const isClosed = { additionalProperties: false }
  return {
    write: Type.Object({ enabled: Type.Optional(Type.Boolean()), ...write }, isClosed),
    reply: Type.Object({ enabled: Type.Boolean(), ...reply }, isClosed),
  }
}

const Texts = Type.Array(Type.String())
const HeaderNames = Type.Array(Type.String({ minLength: 1, 'x-maxBytes': 128 }), { maxItems: moduleHeadersMax })
const Patterns = Type.Array(Type.String({ minLength: 1, 'x-maxBytes': 512 }), { maxItems: 100 })
const Seconds = Type.Integer({ minimum: 1, maximum: 86_400, description: 'In seconds.' })
const Buckets = Type.Integer({ minimum: 1, maximum: 128 })
const Volume = Type.Integer({ minimum: 0, maximum: 1_000_000 })
const Share = Type.Number({ minimum: 0, maximum: 1 })
const TlsVersion = Type.Enum(['1.0', '1.1', '1.2', '1.3'], { examples: ['1.2'] })
const PolicyRules = Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100 })

const headers = module(
  { add: Type.Optional(TextMap), remove: Type.Optional(HeaderNames) },
  { add: TextMap, remove: Texts },
)

/** Sign-in by an identity provider is not offered yet; its modules are known so that replies can show them as null. */
const identityProvider = {
  write: Type.Object({}, { additionalProperties: true }),
  reply: Type.Object({}, { additionalProperties: true }),
}

export const edgeModules = {
  backend: module({ backend_id: Type.String() }, { backend: Ref }),
  ip_restriction: module(
    { ip_policy_ids: Type.Array(Type.String(), { minItems: 1, maxItems: ipPoliciesPerUseMax }) },
    { ip_policies: Type.Array(Ref) },
  ),
  circuit_breaker: module(
    {
      tripped_duration: Type.Optional(Seconds),
      rolling_window: Type.Optional(Seconds),
      num_buckets: Type.Optional(Buckets),
      volume_threshold: Type.Optional(Volume),
      error_threshold_percentage: Type.Optional(Share),
    },
    {
      tripped_duration: Seconds,
      rolling_window: Seconds,
      num_buckets: Buckets,
      volume_threshold: Volume,
      error_threshold_percentage: Share,
    },
  ),
  compression: module({}, {}),
  websocket_tcp_converter: module({}, {}),
  request_headers: headers,
  response_headers: headers,
  webhook_verification: module(
    {
      provider: Type.String({ minLength: 1, 'x-maxBytes': 64 }),
      secret: Type.Optional(Type.String({ 'x-maxBytes': 1024 })),
    },
    { provider: Type.String(), secret: Type.String() },
  ),
  user_agent_filter: module(
    { allow: Type.Optional(Patterns), deny: Type.Optional(Patterns) },
    { allow: Texts, deny: Texts },
  ),
  oauth: identityProvider,
  oidc: identityProvider,
  saml: identityProvider,
  policy: module(
    { inbound: Type.Optional(PolicyRules), outbound: Type.Optional(PolicyRules) },
    { inbound: nullable(PolicyRules), outbound: nullable(PolicyRules) },
  ),
  traffic_policy: module(
    { value: Type.String({ minLength: 1, 'x-maxBytes': policyTextMaxBytes }) },
    { value: Type.String() },
  ),
  mutual_tls: module(
    { certificate_authority_ids: Type.Array(Type.String(), { minItems: 1, maxItems: mutualTlsAuthoritiesMax }) },
    { certificate_authorities: Type.Array(Ref) },
  ),
  tls_termination: module(
    {
      terminate_at: Type.Optional(Type.Enum(['edge', 'upstream', 'agent'])),
      min_version: Type.Optional(TlsVersion),
    },
    { terminate_at: Type.String(), min_version: Type.Optional(TlsVersion) },
  ),
} satisfies Record<string, ModuleModel>

export type EdgeModuleName = keyof typeof edgeModules
export type EdgeModuleWrite<N extends EdgeModuleName> = Static<(typeof edgeModules)[N]['write']>
export type EdgeModuleReply<N extends EdgeModuleName> = Static<(typeof edgeModules)[N]['reply']>

export const httpsEdgeModuleNames = ['mutual_tls', 'tls_termination'] as const
export const routeModuleNames = [
  'backend',
  'ip_restriction',
  'circuit_breaker',
  'compression',
  'request_headers',
  'response_headers',
  'webhook_verification',
  'oauth',
  'saml',
  'oidc',
  'websocket_tcp_converter',
  'user_agent_filter',
  'policy',
  'traffic_policy',
] as const
export const tcpEdgeModuleNames = ['backend', 'ip_restriction', 'policy', 'traffic_policy'] as const
export const tlsEdgeModuleNames = [...tcpEdgeModuleNames, 'mutual_tls', 'tls_termination'] as const

const headerRefusals = [
  'module_header_name_invalid',
  'module_header_twice',
  'module_header_value_invalid',
  'module_headers_too_many',
] as const satisfies ErrorReason[]

/** Errors of their own that fields of modules have. */
const moduleFieldErrors: Partial<Record<EdgeModuleName, FieldErrors>> = {
  ip_restriction: {
    'ip_policy_ids:required': 'module_without_policy',
    'ip_policy_ids:minItems': 'module_without_policy',
    'ip_policy_ids:maxItems': 'module_policies_too_many',
  },
  mutual_tls: { 'certificate_authority_ids:maxItems': 'module_authorities_too_many' },
  request_headers: { 'remove:maxItems': 'module_headers_too_many' },
  response_headers: { 'remove:maxItems': 'module_headers_too_many' },
  webhook_verification: {
    'provider:required': 'webhook_provider_missing',
    'provider:minLength': 'webhook_provider_missing',
  },
}

/** The field errors of a module that is sent by itself. */
export function fieldErrorsOfModule(name: EdgeModuleName): FieldErrors {
  return moduleFieldErrors[name] ?? {}
}

/** Errors of modules that follow from no rule of a field. */
const moduleRefusals: Partial<Record<EdgeModuleName, readonly ErrorReason[]>> = {
  backend: ['backend_id_wrong', 'backend_missing', 'reference_malformed'],
  ip_restriction: ['ip_policy_id_wrong', 'module_policy_missing', 'reference_malformed'],
  mutual_tls: ['certificate_authority_id_wrong', 'module_authority_missing', 'reference_malformed'],
  oauth: ['module_not_available'],
  oidc: ['module_not_available'],
  saml: ['module_not_available'],
  tls_termination: ['min_version_without_termination', 'terminate_at_unexpected', 'termination_at_agent_not_available'],
  request_headers: headerRefusals,
  response_headers: headerRefusals,
  policy: ['policy_invalid'],
  traffic_policy: ['policy_invalid'],
  webhook_verification: [
    'webhook_provider_unavailable',
    'webhook_provider_unknown',
    'webhook_secret_missing',
    'webhook_secret_unexpected',
  ],
}

/** The errors of a module that follow from no rule of a field. */
export function refusalsOfModule(name: EdgeModuleName): readonly ErrorReason[] {
  return moduleRefusals[name] ?? []
}

/** The field errors of modules that are sent inside their edge or route. */
export function fieldErrorsWithin(names: readonly EdgeModuleName[]): FieldErrors {
  const entries = names.flatMap((name) =>
    Object.entries(fieldErrorsOfModule(name)).map(([field, reason]) => [`${name}.${field}`, reason] as const),
  )
  return Object.fromEntries(entries)
}
