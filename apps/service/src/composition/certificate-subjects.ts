import { serviceSubjectId } from '../certs/provisioning/stored-states.ts'
import type { CertificateSubject, DnsRequirement, ProofMethod } from '../certs/provisioning/subject.ts'
import { serviceNames } from '../dns/service-zone.ts'
import type { AgentIngressBody } from '../resources/agent-ingresses/agent-ingresses.ts'
import type { ZoneNames } from '../resources/domain-names/zone-names.ts'
import type { Stored } from '../resources/kernel/definition.ts'
import type { ReservedDomainBody } from '../resources/reserved-domains/reserved-domains.ts'

/** What an agent ingress needs: its parent delegates to exactly its name servers; then a certificate for all its names. */
export function ingressSubject(
  { id, accountId, body }: Stored<AgentIngressBody>,
  names: ZoneNames,
): CertificateSubject {
  const { domain, certificate_management_policy: policy } = body
  const certificate = policy && {
    names: [domain, ...names.regionDomainsOf(domain)],
    keyType: policy.private_key_type,
    proof: proofInOwnZone,
  }
  const nameservers = names.nameserversOf(id)
  return { id, accountId, requirements: [{ kind: 'delegation', domain, nameservers }], certificate }
}

/** What a reserved domain needs when its certificate is managed: the CNAME records that lead to us. Null when it is not. */
export function domainSubject(
  { id, accountId, body }: Stored<ReservedDomainBody>,
  names: ZoneNames,
): CertificateSubject | null {
  const { domain, certificate_management_policy: policy } = body
  if (policy === null) return null
  const alias: DnsRequirement = { kind: 'alias', name: domain, target: names.aliasOf(id, accountId) }
  const wanted = { names: [domain], keyType: policy.private_key_type }
  if (!domain.startsWith('*.'))
    return { id, accountId, requirements: [alias], certificate: { ...wanted, proof: { type: 'http-01' } } }
  const target = names.challengeOf(id)
  const challenge: DnsRequirement = { kind: 'alias', name: `_acme-challenge.${domain.slice(2)}`, target }
  const proof: ProofMethod = { type: 'dns-01', recordOf: () => target }
  return { id, accountId, requirements: [alias, challenge], certificate: { ...wanted, proof } }
}

/** The service's own domain and the free names directly below it. */
export function serviceSubject(zone: string): CertificateSubject {
  return {
    id: serviceSubjectId,
    accountId: null,
    requirements: [{ kind: 'delegation', domain: zone, nameservers: serviceNames.nameservers(zone) }],
    certificate: { names: [zone, `*.${zone}`], keyType: 'ecdsa', proof: proofInOwnZone },
  }
}

const proofInOwnZone: ProofMethod = { type: 'dns-01', recordOf: (name) => `_acme-challenge.${name}` }
