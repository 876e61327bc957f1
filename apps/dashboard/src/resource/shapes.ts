import type { Resource } from '../api/collection.ts'

/** Replies as the pages read them: only the fields that are shown. Shapes are those of the management API. */
export interface Ref {
  readonly id: string
  readonly uri: string
}
export interface Credential extends Resource {
  readonly acl: readonly string[]
  readonly owner_id?: string | null
}
export interface ApiKey extends Resource {
  readonly owner_id?: string | null
}
export interface BotUser extends Resource {
  readonly name: string
  readonly active: boolean
}
export interface SshAuthority extends Resource {
  readonly public_key: string
  readonly key_type: string
}
export interface SshCertificate extends Resource {
  readonly public_key: string
  readonly key_type: string
  readonly ssh_certificate_authority_id: string
  readonly principals: readonly string[]
  readonly valid_after: string
  readonly valid_until: string
  readonly certificate: string
}
export interface TunnelGroup extends Resource {
  readonly labels: Readonly<Record<string, string>>
  readonly tunnels: readonly Ref[]
}
export interface HttpResponse extends Resource {
  readonly status_code: number
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: string
}
export interface IpPolicy extends Resource {}
export interface IpPolicyRule extends Resource {
  readonly cidr: string
  readonly action: 'allow' | 'deny'
  readonly ip_policy: Ref
}
export interface ProvisioningJob {
  readonly error_code?: string | null
  readonly msg: string
  readonly started_at: string
  readonly retries_at: string | null
}
export interface CertificateManagement {
  readonly certificate_management_policy: { readonly authority: string; readonly private_key_type: string } | null
  readonly certificate_management_status: {
    readonly renews_at: string | null
    readonly provisioning_job: ProvisioningJob | null
  } | null
}
export interface ReservedDomain extends Resource, CertificateManagement {
  readonly domain: string
  readonly cname_target: string | null
  readonly acme_challenge_cname_target: string | null
  readonly certificate: Ref | null
}
export interface AgentIngress extends Resource, CertificateManagement {
  readonly domain: string
  readonly ns_targets: readonly string[]
  readonly region_domains: readonly string[]
}
export interface TunnelSession extends Resource {
  readonly agent_version: string
  readonly ip: string
  readonly os: string
  readonly region: string
  readonly started_at: string
  readonly transport: string
  readonly credential: Ref
}
export interface Tunnel extends Resource {
  readonly public_url?: string
  readonly proto?: string
  readonly forwards_to: string
  readonly region: string
  readonly started_at: string
  readonly tunnel_session: Ref
  readonly labels?: Readonly<Record<string, string>>
}
