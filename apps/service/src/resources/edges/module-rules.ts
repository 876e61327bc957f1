import {
  type EdgeModuleName,
  type EdgeModuleReply,
  type EdgeModuleWrite,
  ServiceError,
  certificateAuthorityModel,
  ipPolicyModel,
} from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import { backendModels } from '../backends/backend-models.ts'
import { moduleDocuments } from '../../policies/module-documents.ts'
import { namedIpPolicies } from '../../policies/named-ip-policies.ts'
import { type Reference, referenceTo } from '../kernel/references.ts'
import { refTo } from '../kernel/refs.ts'
import { completeHeaders } from './header-modules.ts'
import { completeTermination } from './tls-termination.ts'
import { checkPatterns } from './user-agent-filter.ts'
import { completeWebhookVerification } from './webhook-verification.ts'

/** A module as it is stored: what was sent, with its defaults. */
export type StoredModule<N extends EdgeModuleName> = EdgeModuleWrite<N> & { readonly enabled: boolean }

/** What is special about one module. */
export interface ModuleRules<N extends EdgeModuleName> {
  /** Checks what a schema cannot express and fills in defaults; `edge` is the type of the owner. */
  complete?(input: StoredModule<N>, edge: 'https' | 'tcp' | 'tls'): StoredModule<N>
  references?(module: StoredModule<N>): readonly Reference[]
  reply(module: StoredModule<N>, call: Call): EdgeModuleReply<N>
}

/** What a policy restricts addresses with cannot be deleted while the module stands. */
function ipPolicyReferences(document: unknown): Reference[] {
  return namedIpPolicies(document).map((id) => referenceTo('ip_policies', id, [ipPolicyModel], 'module_policy_missing'))
}

const asStored = <M>(module: M): M => module

/** Nobody signs visitors in here: what stored the module would promise it. */
function unavailable(name: 'oauth' | 'oidc' | 'saml') {
  return {
    complete: (): never => {
      throw new ServiceError('module_not_available', { module: name })
    },
    reply: asStored,
  }
}

export const moduleRules: { readonly [N in EdgeModuleName]: ModuleRules<N> } = {
  backend: {
    references: ({ backend_id }) => [referenceTo('backend_id', backend_id, backendModels, 'backend_missing')],
    reply: ({ enabled, backend_id }, call) => ({ enabled, backend: refTo(call, backend_id, ...backendModels) }),
  },
  ip_restriction: {
    references: ({ ip_policy_ids }) =>
      ip_policy_ids.map((id) => referenceTo('ip_policy_ids', id, [ipPolicyModel], 'module_policy_missing')),
    reply: ({ enabled, ip_policy_ids }, call) => ({
      enabled,
      ip_policies: ip_policy_ids.map((id) => refTo(call, id, ipPolicyModel)),
    }),
  },
  circuit_breaker: {
    reply: ({ enabled, ...breaker }) => ({
      enabled,
      tripped_duration: breaker.tripped_duration ?? 10,
      rolling_window: breaker.rolling_window ?? 10,
      num_buckets: breaker.num_buckets ?? 10,
      volume_threshold: breaker.volume_threshold ?? 20,
      error_threshold_percentage: breaker.error_threshold_percentage ?? 0.5,
    }),
  },
  compression: { reply: asStored },
  websocket_tcp_converter: { reply: asStored },
  request_headers: {
    complete: completeHeaders,
    reply: ({ enabled, add = {}, remove = [] }) => ({ enabled, add, remove }),
  },
  response_headers: {
    complete: completeHeaders,
    reply: ({ enabled, add = {}, remove = [] }) => ({ enabled, add, remove }),
  },
  webhook_verification: {
    complete: completeWebhookVerification,
    reply: ({ enabled, provider, secret = '' }) => ({ enabled, provider, secret }),
  },
  user_agent_filter: {
    complete: (module) => {
      checkPatterns('allow', module.allow ?? [])
      checkPatterns('deny', module.deny ?? [])
      return module
    },
    reply: ({ enabled, allow = [], deny = [] }) => ({ enabled, allow, deny }),
  },
  oauth: unavailable('oauth'),
  oidc: unavailable('oidc'),
  saml: unavailable('saml'),
  policy: {
    references: (module) => ipPolicyReferences(moduleDocuments.policy(module)),
    reply: ({ enabled, inbound = null, outbound = null }) => ({ enabled, inbound, outbound }),
  },
  traffic_policy: {
    references: (module) => ipPolicyReferences(moduleDocuments.traffic_policy(module)),
    reply: asStored,
  },
  mutual_tls: {
    references: ({ certificate_authority_ids: ids }) =>
      ids.map((id) =>
        referenceTo('certificate_authority_ids', id, [certificateAuthorityModel], 'module_authority_missing'),
      ),
    reply: ({ enabled, certificate_authority_ids: ids }, call) => ({
      enabled,
      certificate_authorities: ids.map((id) => refTo(call, id, certificateAuthorityModel)),
    }),
  },
  tls_termination: {
    complete: completeTermination,
    reply: ({ enabled, terminate_at = 'edge', min_version }) => ({ enabled, terminate_at, min_version }),
  },
}
