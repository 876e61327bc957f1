import Fastify, { type FastifyInstance } from 'fastify'
import { acceptJsonOnly } from './json-body.ts'
import { answerUnreadable, renderErrors } from './error-replies.ts'
import { observationRoutes, type Observations } from './observation-routes.ts'
import { type GuardOptions, refuseForeignPages } from './request-guard.ts'
import { tunnelRoutes, type TunnelService } from './tunnel-routes.ts'

export interface LocalApiOptions {
  readonly tunnels: TunnelService
  readonly observations: Observations
  readonly guard: GuardOptions
  /** Told about failures that the caller sees only as an internal error. */
  readonly onFailure: (error: unknown) => void
}

const bodyMaxBytes = 256 * 1024
const requestTimeoutMs = 10_000
/** How often Node looks for requests that are over their time. */
const lookEveryMs = 2000
/** Programs of this device; what comes through the session has the bounds of the session. */
const connectionsMax = 256

/** The API of the device itself: tunnels, health and status. It asks for no key, so `guard` keeps web pages out. */
export function createLocalApi(options: LocalApiOptions): FastifyInstance {
  const app = Fastify({
    bodyLimit: bodyMaxBytes,
    requestTimeout: requestTimeoutMs,
    // Node gives the whole request the longer one of the two.
    http: { headersTimeout: requestTimeoutMs, connectionsCheckingInterval: lookEveryMs },
    frameworkErrors: answerUnreadable,
  })
  app.server.maxConnections = connectionsMax
  acceptJsonOnly(app)
  renderErrors(app, options.onFailure)
  refuseForeignPages(app, options.guard)
  tunnelRoutes(app, options.tunnels)
  observationRoutes(app, options.observations)
  return app
}
