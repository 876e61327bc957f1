export type { ErrorDefinition, ErrorOwner } from './errors/definition.ts'
export { type ErrorCatalogue, type ErrorReason, errorCatalogue, errorDefinitions } from './errors/catalogue.ts'
export { type ErrorParams, ServiceError } from './errors/service-error.ts'
export { idPrefix, mintId, mintToken, parseToken } from './ids.ts'
export { parseWireTime, wireTime } from './wire-time.ts'
export { Ref, descriptionMaxBytes, metadataMaxBytes } from './resources/fields.ts'
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
