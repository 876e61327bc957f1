import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkVersion } from './brand.ts'
import type { ApiKeyVerifier, Caller, CheckAddress, SignInReader } from './caller.ts'
import type { RateLimit } from './load-limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** What a caller who is known must still pass. */
export interface CallerChecks {
  readonly checkAddress: CheckAddress
  /** Null: no limit. */
  readonly rateLimit: RateLimit | null
}

/**
 * Every route of `app` needs an API key, or a sign-in at the dashboard, and the version header. The order is what existing clients observe: an unknown
 * path is told first (by the router), then a wrong key, then a wrong version.
 */
export function requireCaller(
  app: FastifyInstance,
  keys: ApiKeyVerifier,
  signIns: SignInReader,
  { checkAddress, rateLimit }: CallerChecks,
): void {
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers
    const signedIn = authorization === undefined ? await signIns.read(request) : null
    request.caller = signedIn ?? (await keys.verify(bearerToken(authorization)))
    checkVersion(request.headers)
    await checkAddress(request.caller, request.ip)
    if (rateLimit !== null) spend(rateLimit, request.caller, reply)
  })
}

/** The caller of a request behind `requireCaller`. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('A route that needs a caller is registered outside of authentication.')
  return request.caller
}

function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) throw new ServiceError('authorization_missing')
  const token = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
  if (token === undefined) throw new ServiceError('authorization_unsupported')
  return token
}

function spend(rateLimit: RateLimit, caller: Caller, reply: FastifyReply): void {
  const seconds = rateLimit.take(caller.accountId)
  if (seconds === 0) return
  void reply.header('retry-after', seconds)
  throw new ServiceError('rate_limited', { limit: rateLimit.requestsPerMinute, seconds })
}
