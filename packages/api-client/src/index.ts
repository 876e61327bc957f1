export { type ApiClient, createApiClient } from './api-client.ts'
export { ApiError } from './api-error.ts'
export { type Page, type PageOptions } from './collection.ts'
export { type ApiClientOptions } from './transport.ts'
