import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply goes on for as long as the caller stays; the route has a limit of its own. */
    isStream?: boolean
  }
}

export interface InFlightLimits {
  readonly requestsMax: number
  /** Less than all, so that no account keeps the others out. */
  readonly perAccountMax: number
}

/**
 * Refuses a request at once when too many run already, so that those that run can finish. It runs from when its body has
 * arrived until its reply is ready: who sends or reads slowly keeps nobody out.
 */
export function limitInFlight(app: FastifyInstance, { requestsMax, perAccountMax }: InFlightLimits): void {
  const running = new Set<FastifyRequest>()
  const ofAccounts = new Map<string, Set<FastifyRequest>>()
  const end = (request: FastifyRequest): void => {
    running.delete(request)
    const accountId = accountOf(request)
    const own = ofAccounts.get(accountId)
    own?.delete(request)
    if (own?.size === 0) ofAccounts.delete(accountId)
  }
  app.addHook('preValidation', (request, reply, done) => {
    if (request.routeOptions.config.isStream) return done()
    const own = ofAccounts.get(accountOf(request)) ?? new Set()
    if (running.size >= requestsMax || own.size >= perAccountMax) return done(new ServiceError('too_many_in_flight'))
    running.add(request)
    ofAccounts.set(accountOf(request), own.add(request))
    reply.raw.once('close', () => end(request))
    done()
  })
  app.addHook('onSend', (request, _reply, payload, done) => {
    end(request)
    done(null, payload)
  })
}

/** Those of nobody, to open routes, share like an account. */
function accountOf({ caller }: FastifyRequest): string {
  return caller?.accountId ?? ''
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
