interface Job {
  readonly error_code: string | null
  readonly msg: string
  readonly started_at: string
  readonly retries_at: string | null
}

/** A reserved domain or an agent ingress, as the API shows it. */
export interface Named {
  readonly id: string
  readonly domain: string
  readonly ns_targets: readonly string[]
  readonly region_domains: readonly string[]
  readonly cname_target: string
  readonly acme_challenge_cname_target: string | null
  readonly certificate: { readonly id: string } | null
  readonly certificate_management_status: {
    readonly renews_at: string | null
    readonly provisioning_job: Job | null
  } | null
}

export const isIssued = ({ certificate_management_status: status }: Named) =>
  status !== null && status.provisioning_job === null && status.renews_at !== null

export const isFailing = ({ certificate_management_status: status }: Named) =>
  typeof status?.provisioning_job?.error_code === 'string'
