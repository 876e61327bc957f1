import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply goes on for as long as the caller stays; the route has a limit of its own. */
    isStream?: boolean
  }
}

/**
 * Refuses a request at once when too many run already, so that those that run can finish. It runs from when its body has
 * arrived until its reply is ready: who sends or reads slowly keeps nobody out.
 */
export function limitInFlight(app: FastifyInstance, requestsMax: number): void {
  const running = new Set<FastifyRequest>()
  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.isStream) return done()
    if (running.size >= requestsMax) return done(new ServiceError('too_many_in_flight'))
    running.add(request)
    reply.raw.once('close', () => running.delete(request))
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    running.delete(request)
    done(null, payload)
  })
}

const windowMs = 60_000
const trackedMax = 10_000

/** Allows each account a number of requests in any rolling minute, spread or at once. */
export class RateLimit {
  readonly requestsPerMinute: number
  readonly #now: () => number
  /** For each account, when its budget will be whole again. */
  readonly #fullAt = new Map<string, number>()

  constructor(requestsPerMinute: number, now: () => number) {
    this.requestsPerMinute = requestsPerMinute
    this.#now = now
  }

  /** Seconds to wait, or 0 when the request may pass. */
  take(accountId: string): number {
    const now = this.#now()
    const fullAt = Math.max(this.#fullAt.get(accountId) ?? now, now) + windowMs / this.requestsPerMinute
    if (fullAt > now + windowMs) return Math.ceil((fullAt - now - windowMs) / 1000)
    if (this.#fullAt.size >= trackedMax) this.#forgetWhole(now)
    this.#fullAt.set(accountId, fullAt)
    return 0
  }

  #forgetWhole(now: number): void {
    for (const [accountId, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(accountId)
  }
}
