import { Type } from 'typebox'
import { Time, nullable } from './fields.ts'

const Authority = Type.Enum(['letsencrypt'])
const PrivateKeyType = Type.Enum(['rsa', 'ecdsa'])

/** As sent: parts that are left out take their defaults. */
export const CertificatePolicyInput = Type.Object(
  { authority: Type.Optional(Authority), private_key_type: Type.Optional(PrivateKeyType) },
  { additionalProperties: false },
)

/** How a certificate is obtained and renewed automatically. */
export const CertificatePolicy = Type.Object(
  { authority: Authority, private_key_type: PrivateKeyType },
  { additionalProperties: false },
)
export type CertificatePolicy = Type.Static<typeof CertificatePolicy>

const ProvisioningJob = Type.Object(
  {
    error_code: nullable(Type.Enum(['INTERNAL_ERROR', 'DNS_ERROR'])),
    msg: Type.String(),
    started_at: Time,
    retries_at: nullable(Time),
  },
  { additionalProperties: false },
)

/** How far the automatic certificate is. */
export const CertificateStatus = Type.Object(
  { renews_at: nullable(Time), provisioning_job: nullable(ProvisioningJob) },
  { additionalProperties: false },
)
export type CertificateStatus = Type.Static<typeof CertificateStatus>
