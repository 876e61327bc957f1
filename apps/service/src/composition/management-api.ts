import { join } from 'node:path'
import { ServiceError } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import { buildApiApp } from '../api/api-app.ts'
import { callerOf } from '../api/authentication.ts'
import type { Caller } from '../api/caller.ts'
import { rootRoute } from '../certs/local-ca/root-route.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { eventRoutes } from '../events/event-routes.ts'
import { changePublisher } from '../events/publish-changes.ts'
import { policyRoutes } from '../policies/policy-routes.ts'
import { PrivateHosts } from '../policies/private-hosts.ts'
import type { Management } from '../resources/management.ts'
import type { Routing } from './start-routing.ts'
import type { Storage } from '../storage/open-storage.ts'
import type { Surroundings } from './surroundings.ts'

export interface ApiSources {
  readonly storage: Storage
  readonly management: Management
  readonly dashboard: Dashboard
  readonly routing: Routing
}

/** The management API with the routes of all parts; it listens nowhere yet. */
export function buildApi(
  { config, log, metrics, events }: Surroundings,
  sources: ApiSources,
): Promise<FastifyInstance> {
  const { storage, management, dashboard, routing } = sources
  const models = Object.values(management.resources).map((resource) => resource.model)
  management.changes.listenToAll(changePublisher(events, models))
  return buildApiApp({
    log,
    baseUrl: config.baseUrl,
    apiKeys: management.apiKeys,
    signIns: dashboard.signIns,
    checkAddress: (caller, address) => checkAddress(routing, caller, address),
    operations: {
      isReady: async () => storage.ping().then(() => true),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.metrics() }),
    },
    routes: (app, callOf) => {
      management.routes(app, callOf)
      policyRoutes(app, new PrivateHosts(config.policyPrivateHosts))
      eventRoutes(app, events, (request) => callerOf(request).accountId)
    },
    openRoutes: (app) => {
      rootRoute(app, join(config.dataDir, 'local-ca.pem'))
      return dashboard.routes(app)
    },
    requestsPerMinute: config.requestsPerMinute,
  })
}

/** Throws `caller_address_refused` where a restriction of the account shuts the caller out. */
export async function checkAddress(
  { restrictions }: Routing,
  { accountId, apiKeyId }: Pick<Caller, 'accountId' | 'apiKeyId'>,
  address: string,
): Promise<void> {
  const surface = apiKeyId === null ? 'dashboard' : 'api'
  if (await restrictions.admits(accountId, surface, address)) return
  throw new ServiceError('caller_address_refused', { address, surface })
}
