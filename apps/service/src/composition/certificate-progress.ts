import { type CertificateStatus, wireTime } from '@tunnel/models'
import type { CertificateState } from '../certs/provisioning/certificate-state.ts'
import type { CertificateStates } from '../certs/provisioning/provisioner.ts'
import type { CertificateProvisioning } from '../resources/certificate-management/certificate-policy.ts'

const inProgressMsg = 'Managed certificate provisioning in progress.'

/** Shows stored certificate states to the management API. */
export function certificateProgress(states: Pick<CertificateStates, 'read'>): CertificateProvisioning {
  return {
    progress: async (ownerId) => {
      const found = await states.read(ownerId)
      if (found === null) return { status: { renews_at: null, provisioning_job: null }, certificateId: null }
      return { status: toStatus(found.state), certificateId: found.state.held?.id ?? null }
    },
  }
}

function toStatus({ held, renewsAtMs, job }: CertificateState): CertificateStatus {
  return {
    renews_at: held === null ? null : wireTimeOrNull(renewsAtMs),
    provisioning_job: job && {
      error_code: job.failure?.code ?? null,
      msg: job.failure?.msg ?? inProgressMsg,
      started_at: wireTime(job.startedAtMs),
      retries_at: wireTimeOrNull(job.retriesAtMs),
    },
  }
}

function wireTimeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : wireTime(atMs)
}
