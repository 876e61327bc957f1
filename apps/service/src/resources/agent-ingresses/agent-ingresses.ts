import { type AgentIngress, type CertificatePolicy, ServiceError, agentIngressModel } from '@tunnel/models'
import { type CertificateProvisioning, completePolicy } from '../certificate-management/certificate-policy.ts'
import { readDomain } from '../domain-names/domain-name.ts'
import { besideIngress, ingressKeyName, reservationKey } from '../domain-names/reservation.ts'
import type { ZoneNames } from '../domain-names/zone-names.ts'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'

const defaultKeyType = 'rsa'

export interface AgentIngressBody extends Pick<AgentIngress, 'description' | 'metadata' | 'domain'> {
  readonly certificate_management_policy: CertificatePolicy | null
}

interface AgentIngressParts {
  readonly names: ZoneNames
  readonly provisioning: CertificateProvisioning
}

export function agentIngresses({
  names,
  provisioning,
}: AgentIngressParts): ResourceDefinition<typeof agentIngressModel, AgentIngressBody> {
  return defineResource<typeof agentIngressModel, AgentIngressBody>({
    model: agentIngressModel,
    create: ({ domain: name, certificate_management_policy: policy, ...texts }) => {
      const domain = readIngressDomain(name)
      if (names.isWithin(domain) || names.isBelow(domain))
        throw new ServiceError('ingress_domain_of_service', { domain })
      return { body: { ...texts, domain, certificate_management_policy: readPolicy(policy) } }
    },
    // Null ends the automatic management; a policy that is left out stays.
    update: (body, { certificate_management_policy: policy, ...texts }) => ({
      ...body,
      ...texts,
      ...(policy === undefined ? {} : { certificate_management_policy: readPolicy(policy) }),
    }),
    uniqueKeys: ({ domain }) => [
      { name: ingressKeyName, value: reservationKey(domain), shown: domain, taken: 'ingress_domain_taken' },
    ],
    exclusive: ({ domain }) => ({ spans: besideIngress(domain), taken: 'ingress_overlaps_other', shown: domain }),
    reply: async ({ id, body }) => ({
      ...body,
      ns_targets: names.nameserversOf(id),
      region_domains: names.regionDomainsOf(body.domain),
      certificate_management_status:
        body.certificate_management_policy === null ? null : (await provisioning.progress(id)).status,
    }),
    hasRelativeUri: true,
  })
}

function readPolicy(policy: Partial<CertificatePolicy> | null | undefined): CertificatePolicy | null {
  return policy === null || policy === undefined ? null : completePolicy(policy, defaultKeyType)
}

function readIngressDomain(name: string): string {
  try {
    const domain = readDomain(name)
    if (!domain.startsWith('*.')) return domain
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(
      'ingress_domain_invalid',
      { domain: name.slice(0, 80), problem: error.message },
      { cause: error },
    )
  }
  const problem = 'It is a wildcard.'
  throw new ServiceError('ingress_domain_invalid', { domain: name.slice(0, 80), problem })
}
