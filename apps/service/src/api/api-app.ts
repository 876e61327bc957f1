import cors from '@fastify/cors'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { callerOf, requireCaller } from './authentication.ts'
import { baseUrlOf } from './base-url.ts'
import type { ApiKeyVerifier, CallReader, CheckAddress, SignInReader } from './caller.ts'
import { errorPageRoute } from './error-page.ts'
import { renderConnectionError, renderError, renderPathNotFound } from './error-renderer.ts'
import { RateLimit, limitInFlight } from './load-limits.ts'
import { describeApi } from './openapi.ts'
import { type Operations, operationRoutes } from './operations.ts'
import { refuseEmptyIds } from './path-ids.ts'
import { checkQueryString } from './query-string.ts'
import { acceptJsonBodies } from './request-body.ts'
import { refuseUnclearHost } from './request-host.ts'
import { ajvOptions } from './validation.ts'

const bodyMaxBytes = 1024 * 1024
const requestsInFlightMax = 512
const requestsInFlightPerAccountMax = 128
const headersWithinMs = 20_000
const requestWithinMs = 30_000
const lateRequestsCheckMs = 5_000
const connectionsMax = 4096
const keepAliveMs = 72_000
/** Of a connection on which nothing moves, a reply that nobody reads included. */
const idleMs = 120_000
const preflightCachedSeconds = 600

export interface ApiParts {
  readonly log: FastifyBaseLogger
  /** What addresses in replies begin with. Null: the address that the caller used. */
  readonly baseUrl: string | null
  readonly apiKeys: ApiKeyVerifier
  readonly signIns: SignInReader
  readonly checkAddress: CheckAddress
  readonly operations: Operations
  /** Registers the routes behind the API key. */
  routes(app: FastifyInstance, callOf: CallReader): void
  /** Registers the routes that need no key. */
  openRoutes(app: FastifyInstance): Promise<void>
  /** Null: no limit. */
  readonly requestsPerMinute: number | null
}

/** Builds the management API; the caller makes it listen. */
export async function buildApiApp(parts: ApiParts): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: bodyMaxBytes,
    requestTimeout: requestWithinMs,
    // Node gives the whole request the longer one of the two.
    http: {
      headersTimeout: headersWithinMs,
      connectionsCheckingInterval: lateRequestsCheckMs,
      // Node would answer without a body; `refuseUnclearHost` does it in the usual form.
      requireHostHeader: false,
    },
    keepAliveTimeout: keepAliveMs,
    connectionTimeout: idleMs,
    forceCloseConnections: 'idle',
    ajv: ajvOptions,
    clientErrorHandler: renderConnectionError,
    frameworkErrors: (error, request, reply) => void renderError(error, request, reply),
  })
  app.server.maxConnections = connectionsMax
  app.setErrorHandler(renderError)
  app.setNotFoundHandler(renderPathNotFound)
  limitInFlight(app, { requestsMax: requestsInFlightMax, perAccountMax: requestsInFlightPerAccountMax })
  app.addHook('onRequest', refuseUnclearHost)
  app.addHook('onRequest', refuseEmptyIds)
  // What it does not know it need not expect (RFC 9110, 10.1.1); Node would answer without a body.
  app.server.on('checkExpectation', (...exchange) => app.server.emit('request', ...exchange))
  acceptJsonBodies(app)
  await app.register(cors, corsOptions)
  await describeApi(app, parts.baseUrl)
  operationRoutes(app, parts.operations)
  errorPageRoute(app)
  await parts.openRoutes(app)
  await app.register(async (behindKey) => registerBehindKey(behindKey, parts))
  return app
}

const corsOptions = {
  origin: true,
  credentials: true,
  maxAge: preflightCachedSeconds,
  methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  strictPreflight: false,
}

async function registerBehindKey(app: FastifyInstance, parts: ApiParts): Promise<void> {
  const { requestsPerMinute, baseUrl, checkAddress } = parts
  const rateLimit = requestsPerMinute === null ? null : new RateLimit(requestsPerMinute, Date.now)
  requireCaller(app, parts.apiKeys, parts.signIns, { checkAddress, rateLimit })
  app.addHook('preValidation', checkQueryString)
  parts.routes(app, (request) => ({
    caller: callerOf(request),
    baseUrl: baseUrlOf(request, baseUrl),
    now: Date.now(),
    address: request.ip,
  }))
}
