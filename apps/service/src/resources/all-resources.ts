import { serviceUserModel } from '@tunnel/models'
import { agentIngresses } from './agent-ingresses/agent-ingresses.ts'
import { apiKeys } from './api-keys/api-keys.ts'
import { failoverBackends } from './backends/failover-backends.ts'
import { httpResponseBackends } from './backends/http-response-backends.ts'
import { staticBackends } from './backends/static-backends.ts'
import { tunnelGroupBackends } from './backends/tunnel-group-backends.ts'
import { weightedBackends } from './backends/weighted-backends.ts'
import { botUsers } from './bot-users/bot-users.ts'
import { certificateAuthorities } from './certificate-authorities/certificate-authorities.ts'
import type { CertificateProvisioning } from './certificate-management/certificate-policy.ts'
import { credentials } from './credentials/credentials.ts'
import type { ZoneNames } from './domain-names/zone-names.ts'
import { EdgeBodies } from './edges/edge-body.ts'
import { addrHostports, domainHostports } from './edges/hostports.ts'
import { httpsEdgeRoutes } from './edges/https-edge-routes.ts'
import { httpsEdges } from './edges/https-edges.ts'
import type { EdgeModuleSets } from './edges/edge-module-sets.ts'
import { tcpEdges } from './edges/tcp-edges.ts'
import { tlsEdges } from './edges/tls-edges.ts'
import { ipPolicies } from './ip-policies/ip-policies.ts'
import { ipPolicyRules } from './ip-policy-rules/ip-policy-rules.ts'
import { ipRestrictions } from './ip-restrictions/ip-restrictions.ts'
import { Resource, type ResourceParts } from './kernel/resource.ts'
import { reservedAddrs } from './reserved-addrs/reserved-addrs.ts'
import { reservedDomains } from './reserved-domains/reserved-domains.ts'
import { sshCredentials } from './ssh-credentials/ssh-credentials.ts'
import type { EmptyPrincipals } from './ssh-host-certificates/ssh-host-certificates.ts'
import { createSshResources } from './ssh.ts'
import { tlsCertificates } from './tls-certificates/tls-certificates.ts'
import { tunnelsWithLabels } from './tunnel-sessions/labels.ts'
import type { SessionDirectory } from './tunnel-sessions/online.ts'

/** What the rules of resources need to know of their surroundings. */
export interface ResourceSurroundings {
  readonly names: ZoneNames
  readonly ports: { readonly first: number; readonly last: number; isOpen(port: number): boolean }
  readonly sessions: SessionDirectory
  readonly provisioning: CertificateProvisioning
  readonly edgeModules: EdgeModuleSets
  readonly sshEmptyPrincipals: EmptyPrincipals
}

export type Resources = ReturnType<typeof createResources>

/** Every stored resource type. */
export function createResources(parts: ResourceParts, surroundings: ResourceSurroundings) {
  return {
    apiKeys: new Resource(apiKeys, parts),
    botUsers: new Resource(botUsers, parts),
    serviceUsers: new Resource({ ...botUsers, model: serviceUserModel }, parts),
    credentials: new Resource(credentials, parts),
    sshCredentials: new Resource(sshCredentials, parts),
    ...createSshResources(parts, surroundings.sshEmptyPrincipals),
    ...createAddressRules(parts),
    tlsCertificates: new Resource(tlsCertificates, parts),
    certificateAuthorities: new Resource(certificateAuthorities, parts),
    ...createNames(parts, surroundings),
    ...createBackends(parts, surroundings),
    ...createEdges(parts, surroundings),
  }
}

function createAddressRules(parts: ResourceParts) {
  const rules = new Resource(ipPolicyRules, parts)
  const rulesOf = async (policyId: string) => (await rules.childrenOf(policyId)).map(({ body }) => body)
  return {
    ipPolicies: new Resource(ipPolicies, parts),
    ipPolicyRules: rules,
    ipRestrictions: new Resource(ipRestrictions(rulesOf), parts),
  }
}

function createNames(parts: ResourceParts, { names, provisioning, ports }: ResourceSurroundings) {
  const { records } = parts
  return {
    reservedDomains: new Resource(reservedDomains({ names, provisioning }), parts),
    reservedAddrs: new Resource(reservedAddrs({ names, records, ports }), parts),
    agentIngresses: new Resource(agentIngresses({ names, provisioning }), parts),
  }
}

function createBackends(parts: ResourceParts, { sessions }: ResourceSurroundings) {
  return {
    tunnelGroupBackends: new Resource(tunnelGroupBackends(tunnelsWithLabels(sessions)), parts),
    httpResponseBackends: new Resource(httpResponseBackends, parts),
    staticBackends: new Resource(staticBackends, parts),
    weightedBackends: new Resource(weightedBackends, parts),
    failoverBackends: new Resource(failoverBackends, parts),
  }
}

function createEdges(parts: ResourceParts, { edgeModules }: ResourceSurroundings) {
  const domains = domainHostports(parts.records)
  const routes = new Resource(httpsEdgeRoutes(edgeModules.routes), parts)
  return {
    httpsEdgeRoutes: routes,
    httpsEdges: new Resource(httpsEdges(new EdgeBodies(edgeModules.https, domains), routes), parts),
    tcpEdges: new Resource(tcpEdges(new EdgeBodies(edgeModules.tcp, addrHostports(parts.records))), parts),
    tlsEdges: new Resource(tlsEdges(new EdgeBodies(edgeModules.tls, domains)), parts),
  }
}
