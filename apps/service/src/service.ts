import { resolve } from 'node:path'
import { mintId } from '@tunnel/models'
import pino from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { buildApiApp } from './api/api-app.ts'
import { callerOf } from './api/authentication.ts'
import type { ServiceConfig } from './config.ts'
import { createDashboard } from './dashboard/dashboard.ts'
import { AccountEvents } from './events/account-events.ts'
import { eventRoutes } from './events/event-routes.ts'
import { changePublisher } from './events/publish-changes.ts'
import { StartedParts } from './lifecycle.ts'
import { createManagement } from './resources/management.ts'
import { openStorage } from './storage/open-storage.ts'

const partStopWithinMs = 12_000
const dashboardAssets = resolve(import.meta.dirname, '../../dashboard/dist')

/** A public or private listener, as printed at start: `listening NAME URL`. */
export interface Listener {
  readonly name: 'api' | 'edge-http' | 'edge-https' | 'dns'
  readonly url: string
}

/** The running service. Disposing it drains: no new sessions, running requests finish, then the rest in reverse order. */
export interface Service extends AsyncDisposable {
  readonly listeners: readonly Listener[]
}

/** Builds all parts, connects them, and starts them in the order in which they need each other. */
export async function startService(config: ServiceConfig): Promise<Service> {
  const log = pino({ name: 'service' }, pino.destination({ dest: 2, sync: false }))
  const parts = new StartedParts((part, error) => log.error({ part, err: error }, 'a part did not stop cleanly'))
  try {
    const listeners = await startParts(config, parts, log)
    return { listeners, [Symbol.asyncDispose]: () => parts.stop(partStopWithinMs) }
  } catch (error) {
    await parts.stop(partStopWithinMs)
    throw error
  }
}

async function startParts(config: ServiceConfig, parts: StartedParts, log: pino.Logger): Promise<readonly Listener[]> {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })

  // Everything else reads or writes the store: it opens first and closes last.
  const storage = parts.add('storage', await openStorage(config, (error) => log.error({ err: error }, 'store')))
  const management = createManagement(storage)
  const { accounts } = management
  const dashboard = createDashboard({ db: storage.db, accounts, assetsDir: dashboardAssets, now: Date.now })
  if (await accounts.isEmpty()) log.warn({ setupToken: dashboard.setupToken }, 'no account yet: open the dashboard')

  const events = new AccountEvents((prefix) => mintId(prefix, Date.now()), Date.now)
  const models = Object.values(management.resources).map((resource) => resource.model)
  management.changes.listenToAll(changePublisher(events, models))

  const api = await buildApiApp({
    log,
    baseUrl: config.baseUrl,
    apiKeys: management.apiKeys,
    signIns: dashboard.signIns,
    operations: {
      isReady: async () => storage.ping().then(() => true),
      metrics: async () => ({ contentType: metrics.contentType, text: await metrics.metrics() }),
    },
    routes: (app, callOf) => {
      management.routes(app, callOf)
      eventRoutes(app, events, (request) => callerOf(request).accountId)
    },
    openRoutes: (app) => dashboard.routes(app),
    requestsPerMinute: null,
  })
  parts.add('api', { [Symbol.asyncDispose]: () => api.close() })
  return [{ name: 'api', url: await api.listen(config.apiListen) }]
}
