import { tunnelModel, tunnelSessionModel } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import type { Call, CallReader } from '../api/caller.ts'
import type { Records } from '../storage/records.ts'
import type { Resources } from './all-resources.ts'
import type { EdgeModuleSets } from './edges/edge-module-sets.ts'
import { moduleRoutes } from './edges/module-routes.ts'
import { edgeEndpoints } from './endpoints/edge-endpoints.ts'
import { endpoints } from './endpoints/endpoints.ts'
import { resourceRoutes } from './kernel/routes.ts'
import { detachRoutes } from './reserved-domains/detach-routes.ts'
import { selfRoutes } from './self/self-routes.ts'
import { revocationListRoute } from './ssh-certificate-authorities/revocation-list-route.ts'
import { commandRoutes } from './tunnel-sessions/command-routes.ts'
import type { SessionDirectory } from './tunnel-sessions/online.ts'
import { sessionReply, tunnelReplies } from './tunnel-sessions/online-replies.ts'
import { itemsInMemory, oneByOne, onlineRoutes } from './tunnel-sessions/online-routes.ts'

/** Of an account with more tunnel groups, tunnels show the newest that they serve. */
const groupsShownMax = 1000

interface RouteSources {
  readonly resources: Resources
  readonly edgeModules: EdgeModuleSets
  readonly sessions: SessionDirectory
  readonly records: Records
  readonly region: string
}

/** Registers the routes of every resource. */
export function managementRoutes(app: FastifyInstance, sources: RouteSources, callOf: CallReader): void {
  const { resources, edgeModules, records } = sources
  const { httpsEdgeRoutes, ...collections } = resources
  for (const resource of Object.values(collections)) resourceRoutes(app, resource, callOf)
  // Routes are listed inside their edge.
  resourceRoutes(app, httpsEdgeRoutes, callOf, ['create', 'read', 'update', 'remove'])
  moduleRoutes(app, resources.httpsEdges, edgeModules.https, callOf)
  moduleRoutes(app, httpsEdgeRoutes, edgeModules.routes, callOf)
  moduleRoutes(app, resources.tcpEdges, edgeModules.tcp, callOf)
  moduleRoutes(app, resources.tlsEdges, edgeModules.tls, callOf)
  detachRoutes(app, resources.reservedDomains, callOf)
  revocationListRoute(app, { authorities: resources.sshCertificateAuthorities, records }, callOf)
  registerOnline(app, sources, callOf)
  selfRoutes(app, callOf)
}

function registerOnline(app: FastifyInstance, sources: RouteSources, callOf: CallReader): void {
  const { sessions, resources, records, region } = sources
  const tunnels = (accountId: string) => sessions.tunnels(accountId)
  const all = itemsInMemory((accountId) => sessions.sessions(accountId))
  const groups = (call: Call) =>
    resources.tunnelGroupBackends.list({ limit: groupsShownMax, beforeId: undefined }, call)
  onlineRoutes(app, { model: tunnelSessionModel, items: all, replies: oneByOne(sessionReply) }, callOf)
  onlineRoutes(app, { model: tunnelModel, items: itemsInMemory(tunnels), replies: tunnelReplies(groups) }, callOf)
  onlineRoutes(app, endpoints({ tunnels, edges: edgeEndpoints(resources), records, region }), callOf)
  commandRoutes(app, sessions, callOf)
}
