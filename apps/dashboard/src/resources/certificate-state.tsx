import type { CertificatePolicy, CertificateStatus } from '@tunnel/models'
import { Details } from '../ui/details.tsx'
import { Notice } from '../ui/notice.tsx'
import { Time } from '../ui/time.tsx'

export interface CertificateManagement {
  readonly certificate_management_policy: CertificatePolicy | null
  readonly certificate_management_status: CertificateStatus | null
}

/** Where the managed certificate stands, and what to do when it does not get on. */
export function CertificateState({ management }: { readonly management: CertificateManagement }) {
  const { certificate_management_policy: policy, certificate_management_status: status } = management
  if (policy === null) return null
  const job = status?.provisioning_job ?? null
  return (
    <section>
      <h2>Certificate</h2>
      {job !== null && <Job job={job} />}
      <Details
        rows={[
          ['From', policy.authority],
          ['Key', policy.private_key_type],
          ['Renews', <Time key="renews" value={status?.renews_at} />],
        ]}
      />
    </section>
  )
}

function Job({ job }: { readonly job: NonNullable<CertificateStatus['provisioning_job']> }) {
  return (
    <Notice look={job.error_code ? 'warning' : 'info'}>
      <p>{job.msg}</p>
      <p>
        {job.error_code === 'DNS_ERROR' && 'Correct the DNS records; nothing else is needed. '}
        {job.error_code === 'INTERNAL_ERROR' && 'This passes by itself. '}
        Started <Time value={job.started_at} />.{' '}
        {job.retries_at && (
          <>
            Next try <Time value={job.retries_at} />.
          </>
        )}
      </p>
    </Notice>
  )
}
