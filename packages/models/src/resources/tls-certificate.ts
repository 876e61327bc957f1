import { Type } from 'typebox'
import { Time, described, nullable } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

export const pemMaxBytes = 64 * 1024
const Names = Type.Array(Type.String())

/** An uploaded or obtained certificate with its chain; the private key never leaves the service. */
export const tlsCertificateModel = defineModel({
  name: 'TLSCertificate',
  title: 'TLS certificate',
  path: '/tls_certificates',
  prefix: 'cert',
  listKey: 'tls_certificates',
  create: {
    ...described,
    certificate_pem: Type.String({ 'x-maxBytes': pemMaxBytes, description: 'The chain, leaf first.' }),
    private_key_pem: Type.String({ 'x-maxBytes': pemMaxBytes, description: 'Unencrypted.' }),
  },
  update: described,
  reply: {
    ...described,
    certificate_pem: Type.String(),
    subject_common_name: Type.String(),
    subject_organization: Type.String(),
    subject_organizational_unit: Type.String(),
    subject_locality: Type.String(),
    subject_province: Type.String(),
    subject_country: Type.String(),
    issuer_common_name: Type.String(),
    subject_alternative_names: Type.Object({ dns_names: Names, ips: Names }, { additionalProperties: false }),
    issued_at: nullable(Time),
    not_before: Time,
    not_after: Time,
    key_usages: Names,
    extended_key_usages: Names,
    private_key_type: Type.Enum(['rsa', 'ecdsa', 'ed25519']),
    serial_number: Type.String(),
  },
  fieldErrors: {
    'description:x-maxBytes': 'tls_certificate_description_too_long',
    'metadata:x-maxBytes': 'tls_certificate_metadata_too_long',
    'certificate_pem:required': 'certificate_pem_missing',
    'certificate_pem:x-maxBytes': 'certificate_too_large',
    'private_key_pem:required': 'private_key_missing',
    'private_key_pem:x-maxBytes': 'certificate_too_large',
  },
  refusals: [
    'certificate_chain_order',
    'certificate_is_private_key',
    'certificate_not_pem',
    'certificate_unparsable',
    'pem_of_other_type',
    'private_key_encrypted',
    'private_key_is_certificate',
    'private_key_mismatch',
    'private_key_unknown',
  ],
})
export type TlsCertificate = ReplyOf<typeof tlsCertificateModel>
