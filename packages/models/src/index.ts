export type { ErrorDefinition, ErrorOwner } from './errors/definition.ts'
export { type ErrorCatalogue, type ErrorReason, errorCatalogue, errorDefinitions } from './errors/catalogue.ts'
export { type ErrorParams, ServiceError } from './errors/service-error.ts'
export { idBehind, idPrefix, mintId, mintToken, parseToken } from './ids.ts'
export { parseWireTime, wireTime } from './wire-time.ts'
export { Ref, descriptionMaxBytes, metadataMaxBytes, noControlCharacters, webAddress } from './resources/fields.ts'
export {
  type CreateOf,
  type FieldErrors,
  type ReplyOf,
  type ResourceModel,
  type UpdateOf,
} from './resources/resource-model.ts'
export { type ApiKey, apiKeyModel } from './resources/api-key.ts'
export { type BotUser, botUserModel, serviceUserModel } from './resources/bot-user.ts'
export { type Credential, aclRulesMax, credentialModel } from './resources/credential.ts'
export { type SshCertificateAuthority, sshCertificateAuthorityModel } from './resources/ssh-certificate-authority.ts'
export { type SshHostCertificate, sshHostCertificateModel } from './resources/ssh-host-certificate.ts'
export { type SshUserCertificate, sshUserCertificateModel } from './resources/ssh-user-certificate.ts'
export { isAclRule } from './resources/acl-rule.ts'
export { type AgentIngress, agentIngressModel } from './resources/agent-ingress.ts'
export { type CertificateAuthority, certificateAuthorityModel } from './resources/certificate-authority.ts'
export { type CertificatePolicy, type CertificateStatus } from './resources/certificate-management.ts'
export {
  type EdgeModuleName,
  type EdgeModuleReply,
  type EdgeModuleWrite,
  edgeModules,
  fieldErrorsOfModule,
  refusalsOfModule,
  httpsEdgeModuleNames,
  routeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from './resources/edge-modules.ts'
export {
  type HttpsEdge,
  type HttpsEdgeRoute,
  type TcpEdge,
  type TlsEdge,
  httpsEdgeModel,
  httpsEdgeRouteModel,
  tcpEdgeModel,
  tlsEdgeModel,
} from './resources/edges.ts'
export { type FailoverBackend, failoverBackendModel } from './resources/failover-backend.ts'
export {
  type HttpResponseBackend,
  headerNameMaxBytes,
  headerValueMaxBytes,
  httpResponseBackendModel,
} from './resources/http-response-backend.ts'
export { type IpPolicy, ipPolicyModel } from './resources/ip-policy.ts'
export { type IpPolicyRule, ipPolicyRuleModel } from './resources/ip-policy-rule.ts'
export { type IpRestriction, ipRestrictionModel } from './resources/ip-restriction.ts'
export {
  type Endpoint,
  type OnlineModel,
  type Tunnel,
  type TunnelSession,
  endpointModel,
  tunnelModel,
  tunnelSessionModel,
} from './resources/online-resources.ts'
export { type ReservedAddr, reservedAddrModel } from './resources/reserved-addr.ts'
export { type ReservedDomain, reservedDomainModel } from './resources/reserved-domain.ts'
export { type SshCredential, sshCredentialModel } from './resources/ssh-credential.ts'
export { type StaticBackend, staticBackendModel } from './resources/static-backend.ts'
export { type TlsCertificate, tlsCertificateModel } from './resources/tls-certificate.ts'
export {
  type TunnelGroupBackend,
  labelKeyMaxBytes,
  labelValueMaxBytes,
  labelsMax,
  tunnelGroupBackendModel,
} from './resources/tunnel-group-backend.ts'
export { type WeightedBackend, weightedBackendModel, weightedBackendsMax } from './resources/weighted-backend.ts'
