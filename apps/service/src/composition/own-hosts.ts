import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { OwnHost } from '../edge/own-host.ts'
import type { ReleaseDownloads } from '../releases/release-downloads.ts'
import type { Sessions } from '../sessions/sessions.ts'

/**
 * `connect.ZONE` takes sessions, and hands out the releases that agents update to. So do the names of an agent ingress, but
 * they take sessions of its account alone.
 */
export function sessionHost(
  sessions: Sessions,
  releases: ReleaseDownloads,
  onlyAccountId: string | null = null,
): OwnHost {
  return {
    onRequest: (request, response) => {
      if (releases(request, response)) return
      response.statusCode = 426
      response.setHeader('content-type', 'text/plain')
      response.end('This address takes the WebSocket sessions of agents.\n')
    },
    onUpgrade: (request, socket, head) => {
      if (socket instanceof Socket) sessions.handleUpgrade(request, socket, head, onlyAccountId)
      else socket.destroy()
    },
  }
}

/** `api.ZONE` serves the management API and the dashboard. */
export function apiHost(api: FastifyInstance): OwnHost {
  // Fastify's HTTP/1.1 types do not name the HTTP/2 compatibility objects, which it handles alike.
  return { onRequest: (request, response) => api.routing(request as IncomingMessage, response as ServerResponse) }
}

/** Hears under which names an ingress takes sessions. */
type IngressNamesListener = (
  ingress: { readonly id: string; readonly accountId: string },
  names: readonly string[],
) => void

/** Agents also connect to the domain of an agent ingress and to its regional names. No names: the ingress is gone. */
export function followIngressNames(
  ownHosts: Map<string, OwnHost>,
  hostFor: (accountId: string) => OwnHost,
): IngressNamesListener {
  const namesOf = new Map<string, readonly string[]>()
  return ({ id: ingressId, accountId }, names) => {
    const host = hostFor(accountId)
    for (const name of namesOf.get(ingressId) ?? []) ownHosts.delete(name)
    for (const name of names) ownHosts.set(name, host)
    if (names.length > 0) namesOf.set(ingressId, names)
    else namesOf.delete(ingressId)
  }
}
