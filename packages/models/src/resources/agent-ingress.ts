import { Type } from 'typebox'
import { CertificatePolicy, CertificatePolicyInput, CertificateStatus } from './certificate-management.ts'
import { described, nullable } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** A domain of the caller below which agents connect. */
export const agentIngressModel = defineModel({
  name: 'AgentIngress',
  title: 'agent ingress',
  path: '/agent_ingresses',
  prefix: 'agin',
  listKey: 'ingresses',
  create: {
    ...described,
    domain: Type.String(),
    certificate_management_policy: Type.Optional(nullable(CertificatePolicyInput)),
  },
  update: { ...described, certificate_management_policy: Type.Optional(nullable(CertificatePolicyInput)) },
  reply: {
    ...described,
    domain: Type.String(),
    ns_targets: Type.Array(Type.String()),
    region_domains: Type.Array(Type.String()),
    certificate_management_policy: nullable(CertificatePolicy),
    certificate_management_status: nullable(CertificateStatus),
  },
  fieldErrors: {
    'description:x-maxBytes': 'ingress_description_too_long',
    'metadata:x-maxBytes': 'ingress_metadata_too_long',
    'domain:required': 'ingress_domain_missing',
    'certificate_management_policy.authority:enum': 'managed_certificate_authority_invalid',
    'certificate_management_policy.private_key_type:enum': 'managed_certificate_key_type_invalid',
  },
  refusals: ['ingress_domain_invalid', 'ingress_domain_of_service', 'ingress_domain_taken', 'ingress_overlaps_other'],
})
export type AgentIngress = ReplyOf<typeof agentIngressModel>
