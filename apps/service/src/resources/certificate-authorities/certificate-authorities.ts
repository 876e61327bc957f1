import { type CertificateAuthority, ServiceError, certificateAuthorityModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { certificateFacts } from '../tls-certificates/certificate-facts.ts'
import { readCertificates } from '../tls-certificates/pem.ts'

type CertificateAuthorityBody = Omit<CertificateAuthority, 'id' | 'uri' | 'created_at'>

export const certificateAuthorities = defineResource<typeof certificateAuthorityModel, CertificateAuthorityBody>({
  model: certificateAuthorityModel,
  create: ({ ca_pem, ...texts }) => {
    const [certificate, ...others] = readCertificates(ca_pem, 'ca_pem')
    if (others.length > 0)
      throw new ServiceError('certificates_too_many', { field: 'ca_pem', count: others.length + 1 })
    if (!certificate.ca) throw new ServiceError('certificate_not_authority')
    const { subject_common_name, not_before, not_after, key_usages, extended_key_usages } =
      certificateFacts(certificate)
    return { body: { ...texts, ca_pem, subject_common_name, not_before, not_after, key_usages, extended_key_usages } }
  },
  reply: ({ body }) => body,
})
