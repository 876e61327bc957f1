import type { CertificatePolicy, CertificateStatus } from '@tunnel/models'

/** What is known of the automatic certificate of a domain or ingress. */
export interface ManagedCertificate {
  readonly status: CertificateStatus | null
  /** The TLS certificate that is in use, once there is one. */
  readonly certificateId: string | null
}

/** How far automatic certificates are; answered by the part that obtains them. */
export interface CertificateProvisioning {
  progress(ownerId: string): Promise<ManagedCertificate>
}

/** Stands in until certificates are obtained automatically. */
export const noProvisioning: CertificateProvisioning = {
  progress: () => Promise.resolve({ status: null, certificateId: null }),
}

/** Fills the parts of a policy that were left out. */
export function completePolicy(
  input: Partial<CertificatePolicy>,
  defaultKeyType: CertificatePolicy['private_key_type'],
): CertificatePolicy {
  return { authority: input.authority ?? 'letsencrypt', private_key_type: input.private_key_type ?? defaultKeyType }
}
