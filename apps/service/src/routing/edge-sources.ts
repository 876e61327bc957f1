import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import type { PolicyModules } from '../policies/module-documents.ts'
import type { ItemSource } from './mirror.ts'

/** Modules as they are stored; those that routing does not act on itself are those of policies. */
export interface StoredModules extends PolicyModules {
  readonly backend?: { readonly enabled: boolean; readonly backend_id: string }
  readonly ip_restriction?: { readonly enabled: boolean; readonly ip_policy_ids: readonly string[] }
  readonly websocket_tcp_converter?: { readonly enabled: boolean }
  readonly user_agent_filter?: {
    readonly enabled: boolean
    readonly allow?: readonly string[]
    readonly deny?: readonly string[]
  }
}

/** Modules of HTTPS and TLS edges. */
export interface StoredTlsModules {
  readonly mutual_tls?: { readonly enabled: boolean; readonly certificate_authority_ids: readonly string[] }
  readonly tls_termination?: {
    readonly enabled: boolean
    readonly terminate_at?: 'edge' | 'upstream' | 'agent'
    readonly min_version?: string
  }
}

/** A certificate authority of the account, for the certificates of visitors. */
export interface StoredAuthority {
  readonly ca_pem: string
}

interface WithHostports {
  /** `name:443`; the name may be a wildcard. */
  readonly hostports: readonly string[] | null
}

/** An HTTPS edge. */
export interface StoredEdge extends WithHostports {
  readonly modules: StoredTlsModules
}

/** A TCP or TLS edge. */
export interface StoredRawEdge extends WithHostports {
  readonly modules: Pick<StoredModules, 'backend' | 'ip_restriction' | 'policy' | 'traffic_policy'> & StoredTlsModules
}

export interface StoredRoute {
  readonly match_type: 'exact_path' | 'path_prefix'
  readonly match: string
  readonly modules: StoredModules
}

/** The fields of all types of backends; the prefix of the id tells which type it is. */
export interface StoredBackend {
  readonly labels?: Readonly<Record<string, string>>
  readonly status_code?: number
  readonly headers?: Readonly<Record<string, string>> | null
  readonly body?: string
  readonly address?: string
  readonly tls?: { readonly enabled?: boolean }
  /** Of a weighted backend a map from id to weight, of a failover backend a list of ids. */
  readonly backends?: Readonly<Record<string, number>> | readonly string[]
}

/** What routing reads of the store and of the sessions. */
export interface EdgeSources {
  readonly edges: ItemSource<StoredEdge>
  readonly routes: ItemSource<StoredRoute>
  readonly backends: ItemSource<StoredBackend>
  readonly authorities: ItemSource<StoredAuthority>
  readonly tunnels: LabelledTunnels
}

/** The tunnels that carry labels. `version` changes whenever one of them comes or goes. */
export interface LabelledTunnels {
  readonly version: number
  withLabels(accountId: string, labels: Readonly<Record<string, string>>): readonly EdgeTunnel[]
}
