import { Type } from 'typebox'
import { Time, described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'
import { pemMaxBytes } from './tls-certificate.ts'

const Names = Type.Array(Type.String())

/** A certificate authority whose client certificates are trusted. */
export const certificateAuthorityModel = defineModel({
  name: 'CertificateAuthority',
  title: 'certificate authority',
  path: '/certificate_authorities',
  prefix: 'ca',
  listKey: 'certificate_authorities',
  create: { ...described, ca_pem: Type.String({ 'x-maxBytes': pemMaxBytes }) },
  update: described,
  reply: {
    ...described,
    ca_pem: Type.String(),
    subject_common_name: Type.String(),
    not_before: Time,
    not_after: Time,
    key_usages: Names,
    extended_key_usages: Names,
  },
  fieldErrors: {
    'description:x-maxBytes': 'certificate_authority_description_too_long',
    'metadata:x-maxBytes': 'certificate_authority_metadata_too_long',
    'ca_pem:required': 'certificate_pem_missing',
    'ca_pem:x-maxBytes': 'certificate_too_large',
  },
  refusals: [
    'certificate_is_private_key',
    'certificate_not_authority',
    'certificate_not_pem',
    'certificate_unparsable',
    'certificates_too_many',
    'pem_of_other_type',
  ],
})
export type CertificateAuthority = ReplyOf<typeof certificateAuthorityModel>
