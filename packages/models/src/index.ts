export type { ErrorDefinition, ErrorOwner } from './errors/definition.ts'
export { type ErrorCatalogue, type ErrorReason, errorCatalogue, errorDefinitions } from './errors/catalogue.ts'
export { type ErrorParams, ServiceError } from './errors/service-error.ts'
