import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '@tunnel/models'
import { isLoopbackIp, isOpenToOthers } from '../network/ip-ranges.ts'

export interface GuardOptions {
  /** The address that the API listens on. */
  readonly listenHost: string
  /** The public name of this API, when it has one. */
  readonly agentDomain: string | null
}

/**
 * Refuses requests that a web page of another site could make: those whose Host is a foreign name (DNS rebinding), and
 * those whose Origin is not this API itself (cross-site requests).
 */
export function refuseForeignPages(app: FastifyInstance, options: GuardOptions): void {
  app.addHook('onRequest', async (request) => {
    const { host, origin } = request.headers
    if (!isOwnHost(hostName(host ?? ''), options)) throw new ServiceError('host_not_allowed')
    if (origin !== undefined && !isSameOrigin(origin, host)) throw new ServiceError('origin_not_allowed')
  })
}

function isOwnHost(name: string, { listenHost, agentDomain }: GuardOptions): boolean {
  if (name === 'localhost' || name === agentDomain || isLoopbackIp(name)) return true
  // Only names can be rebound. Somebody who listens beyond loopback reaches the API by address.
  return isIP(name) !== 0 && isOpenToOthers(listenHost)
}

function hostName(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(host) ?? []
  return (bracketed ?? plain ?? '').toLowerCase().replace(/\.$/, '')
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase()
}
