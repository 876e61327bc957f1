import { Type } from 'typebox'
import { CertificatePolicy, CertificatePolicyInput, CertificateStatus } from './certificate-management.ts'
import { Ref, described, nullable, webAddress } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

const ResolvesTo = Type.Array(
  Type.Object(
    { value: Type.String({ 'x-maxBytes': 64, pattern: '^[a-z0-9-]+$', examples: ['global'] }) },
    { additionalProperties: false },
  ),
  {
    maxItems: 32,
    description: 'Where the hosted product answers for the name. Kept as given; it is answered for everywhere.',
  },
)

const settable = {
  ...described,
  certificate_id: Type.Optional(Type.String()),
  certificate_management_policy: Type.Optional(CertificatePolicyInput),
  error_redirect_url: Type.Optional(
    Type.String({
      'x-maxBytes': 1024,
      pattern: webAddress,
      description: 'Kept as given; errors of the edge are its own pages, or JSON for programs.',
    }),
  ),
  resolves_to: Type.Optional(ResolvesTo),
}

/** A name that only this account may use; `*` as its first label stands for all names below. */
export const reservedDomainModel = defineModel({
  name: 'ReservedDomain',
  title: 'reserved domain',
  path: '/reserved_domains',
  prefix: 'rd',
  listKey: 'reserved_domains',
  create: { ...settable, domain: Type.String(), region: Type.Optional(Type.String()) },
  update: { ...settable, region: Type.Optional(Type.String()) },
  reply: {
    ...described,
    domain: Type.String(),
    region: Type.String(),
    cname_target: nullable(Type.String()),
    http_endpoint_configuration: Type.Null(),
    https_endpoint_configuration: Type.Null(),
    certificate: nullable(Ref),
    certificate_management_policy: nullable(CertificatePolicy),
    certificate_management_status: nullable(CertificateStatus),
    acme_challenge_cname_target: nullable(Type.String()),
    error_redirect_url: nullable(Type.String()),
    is_dev: Type.Boolean(),
    resolves_to: ResolvesTo,
  },
  fieldErrors: {
    'description:x-maxBytes': 'domain_description_too_long',
    'metadata:x-maxBytes': 'domain_metadata_too_long',
    'certificate_management_policy.authority:enum': 'domain_authority_invalid',
    'certificate_management_policy.private_key_type:enum': 'managed_certificate_key_type_invalid',
  },
  emptyPatch: 'domain_patch_empty',
  refusals: [
    'certificate_missing',
    'domain_certificate_on_own_zone',
    'domain_certificate_twice',
    'domain_character_invalid',
    'domain_dashes_reserved',
    'domain_label_empty',
    'domain_label_end',
    'domain_label_start',
    'domain_label_too_long',
    'domain_named_twice',
    'domain_not_public',
    'domain_not_qualified',
    'domain_overlaps_other',
    'domain_parent_forbidden',
    'domain_policy_on_own_zone',
    'domain_region_fixed',
    'domain_region_unknown',
    'domain_taken',
    'domain_taken_by_other',
    'domain_too_long',
    'domain_underscore',
    'domain_wildcard_inside',
    'domain_wildcard_too_broad',
    'reference_malformed',
    'reference_prefix_wrong',
  ],
})
export type ReservedDomain = ReplyOf<typeof reservedDomainModel>
