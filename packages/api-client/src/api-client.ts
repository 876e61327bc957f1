import {
  type Endpoint,
  type ResourceModel,
  type Tunnel,
  type TunnelSession,
  agentIngressModel,
  apiKeyModel,
  botUserModel,
  certificateAuthorityModel,
  credentialModel,
  endpointModel,
  failoverBackendModel,
  httpResponseBackendModel,
  type httpsEdgeModuleNames,
  httpsEdgeModel,
  httpsEdgeRouteModel,
  ipPolicyModel,
  ipPolicyRuleModel,
  ipRestrictionModel,
  reservedAddrModel,
  reservedDomainModel,
  type routeModuleNames,
  sshCertificateAuthorityModel,
  sshCredentialModel,
  sshHostCertificateModel,
  sshUserCertificateModel,
  staticBackendModel,
  tcpEdgeModel,
  type tcpEdgeModuleNames,
  tlsCertificateModel,
  tlsEdgeModel,
  type tlsEdgeModuleNames,
  tunnelGroupBackendModel,
  tunnelModel,
  tunnelSessionModel,
  weightedBackendModel,
} from '@tunnel/models'
import { Collection, ReadableCollection } from './collection.ts'
import { DomainCertificate } from './domain-certificate.ts'
import { EdgeModules } from './edge-modules.ts'
import { EventFeed } from './event-feed.ts'
import type { PolicyCheck, PolicyCheckInput } from './policy-check.ts'
import { SessionCommands } from './session-commands.ts'
import { type ApiClientOptions, Transport } from './transport.ts'

export type ApiClient = ReturnType<typeof createApiClient>

/** The management API, typed from the schemas with which the service itself checks what it gets and sends. */
export function createApiClient(options: ApiClientOptions) {
  const transport = new Transport(options)
  const stored = <M extends ResourceModel>(model: M) => new Collection(transport, model)
  return {
    apiKeys: stored(apiKeyModel),
    botUsers: stored(botUserModel),
    credentials: stored(credentialModel),
    sshCredentials: stored(sshCredentialModel),
    sshCertificateAuthorities: stored(sshCertificateAuthorityModel),
    sshHostCertificates: stored(sshHostCertificateModel),
    sshUserCertificates: stored(sshUserCertificateModel),
    ipPolicies: stored(ipPolicyModel),
    ipPolicyRules: stored(ipPolicyRuleModel),
    ipRestrictions: stored(ipRestrictionModel),
    reservedDomains: stored(reservedDomainModel),
    certificateOf: (domainId: string) => new DomainCertificate(transport, domainId),
    reservedAddrs: stored(reservedAddrModel),
    agentIngresses: stored(agentIngressModel),
    tlsCertificates: stored(tlsCertificateModel),
    certificateAuthorities: stored(certificateAuthorityModel),
    tunnelGroupBackends: stored(tunnelGroupBackendModel),
    httpResponseBackends: stored(httpResponseBackendModel),
    staticBackends: stored(staticBackendModel),
    weightedBackends: stored(weightedBackendModel),
    failoverBackends: stored(failoverBackendModel),
    tunnelSessions: new ReadableCollection<TunnelSession>(
      transport,
      tunnelSessionModel.path,
      tunnelSessionModel.listKey,
    ),
    tunnels: new ReadableCollection<Tunnel>(transport, tunnelModel.path, tunnelModel.listKey),
    endpoints: new ReadableCollection<Endpoint>(transport, endpointModel.path, endpointModel.listKey),
    ...createEdgeCalls(transport),
    /** Commands to the agent of a session. */
    session: (id: string) => new SessionCommands(transport, id),
    /** Tries a policy without storing it. */
    checkPolicy: async (input: PolicyCheckInput) =>
      (await transport.send('POST', '/policies/check', input)) as PolicyCheck,
    events: new EventFeed(transport),
  }
}

function createEdgeCalls(transport: Transport) {
  const routesPath = (edgeId: string) => httpsEdgeRouteModel.path.replace('{edge_id}', encodeURIComponent(edgeId))
  return {
    httpsEdges: new Collection(transport, httpsEdgeModel),
    tcpEdges: new Collection(transport, tcpEdgeModel),
    tlsEdges: new Collection(transport, tlsEdgeModel),
    /** The routes of an HTTPS edge; they are listed inside the edge. */
    routesOf: (edgeId: string) => new Collection(transport, httpsEdgeRouteModel, routesPath(edgeId)),
    modulesOfRoute: (edgeId: string, id: string) =>
      new EdgeModules<(typeof routeModuleNames)[number]>(transport, `${routesPath(edgeId)}/${id}`),
    modulesOfHttpsEdge: (id: string) =>
      new EdgeModules<(typeof httpsEdgeModuleNames)[number]>(transport, `${httpsEdgeModel.path}/${id}`),
    modulesOfTcpEdge: (id: string) =>
      new EdgeModules<(typeof tcpEdgeModuleNames)[number]>(transport, `${tcpEdgeModel.path}/${id}`),
    modulesOfTlsEdge: (id: string) =>
      new EdgeModules<(typeof tlsEdgeModuleNames)[number]>(transport, `${tlsEdgeModel.path}/${id}`),
  }
}
