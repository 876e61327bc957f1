import type { ActionDefinition } from './action.ts'
import { addHeaders } from './add-headers.ts'
import { basicAuth } from './basic-auth.ts'
import { circuitBreaker } from './circuit-breaker.ts'
import { closeConnection } from './close-connection.ts'
import { compressResponse } from './compress-response.ts'
import { customResponse } from './custom-response.ts'
import { deny } from './deny.ts'
import { forwardInternal } from './forward-internal.ts'
import { jwtValidation } from './jwt-validation.ts'
import { log } from './log.ts'
import { rateLimit } from './rate-limit.ts'
import { redirect } from './redirect.ts'
import { removeHeaders } from './remove-headers.ts'
import { restrictIps } from './restrict-ips.ts'
import { setVars } from './set-vars.ts'
import { urlRewrite } from './url-rewrite.ts'
import { verifyWebhook } from './verify-webhook.ts'

/** Every action that a policy can use, in the order of the documentation. */
export const actionDefinitions: readonly ActionDefinition[] = [
  addHeaders,
  removeHeaders,
  urlRewrite,
  redirect,
  deny,
  customResponse,
  closeConnection,
  basicAuth,
  restrictIps,
  rateLimit,
  setVars,
  log,
  compressResponse,
  jwtValidation,
  circuitBreaker,
  forwardInternal,
  verifyWebhook,
]

/** Actions that policies for other servers may hold. They are refused by name: ignoring one could open what it protects. */
export const unavailableActions: ReadonlySet<string> = new Set([
  'http-request',
  'terminate-tls',
  'oauth',
  'openid-connect',
  'oidc',
  'saml',
  'owasp-crs-request',
  'owasp-crs-response',
  'request-body-find-replace',
  'response-body-find-replace',
  'sse-find-replace',
  'ai-gateway',
])

const byType: ReadonlyMap<string, ActionDefinition> = new Map(
  actionDefinitions.map((definition) => [definition.type, definition]),
)

export function findAction(type: string): ActionDefinition | undefined {
  return byType.get(type)
}
