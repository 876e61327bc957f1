import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { certificateProgress } from './composition/certificate-progress.ts'
import { StoredStates } from './certs/provisioning/stored-states.ts'
import { startPeers } from './cluster/start-peers.ts'
import type { ServiceConfig } from './config.ts'
import { connectUrl } from './dashboard/connect-url.ts'
import { type Dashboard, createDashboard } from './dashboard/dashboard.ts'
import { accessLog } from './edge/access-log.ts'
import { edgeLimits } from './edge/limits.ts'
import { buildApi, checkAddress } from './composition/management-api.ts'
import { type OpenTcpPorts, openTcpPorts } from './composition/open-tcp-ports.ts'
import { KeySetFetcher } from './policies/key-set-fetch.ts'
import { PolicyCompiler } from './policies/policy-compiler.ts'
import { policyObserver } from './policies/policy-observer.ts'
import { PrivateHosts } from './policies/private-hosts.ts'
import { startPublicSide } from './composition/public-side.ts'
import { type Management, createManagement } from './resources/management.ts'
import { sessionDirectory } from './composition/session-directory.ts'
import { LabelledTunnels } from './sessions/labelled-tunnels.ts'
import { defaultSessionsLimits } from './sessions/limits.ts'
import { shareChanges } from './composition/shared-changes.ts'
import { type Routing, startRouting } from './composition/start-routing.ts'
import { startSessions } from './composition/start-sessions.ts'
import { BoundNames } from './storage/bound-names.ts'
import { type Storage, openStorage } from './storage/open-storage.ts'
import { createSurroundings, type Surroundings } from './composition/surroundings.ts'

const partStopWithinMs = 12_000
const sessionsDrainMs = 5_000
const dashboardAssets = resolve(import.meta.dirname, '../../dashboard/dist')

/** A listener, as printed at start: `listening NAME URL`. */
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
  const surroundings = createSurroundings(config)
  const { parts } = surroundings
  try {
    const listeners = await startParts(surroundings)
    return { listeners, [Symbol.asyncDispose]: () => parts.stop(partStopWithinMs) }
  } catch (error) {
    await parts.stop(partStopWithinMs)
    throw error
  }
}

async function startParts(surroundings: Surroundings): Promise<readonly Listener[]> {
  const { config, log, parts } = surroundings
  // Everything else reads or writes the store: it opens first and closes last.
  const storage = parts.add('storage', await openStorage(config, (error) => log.error({ err: error }, 'store')))
  const states = new StoredStates(storage)
  const peers = parts.add(
    'peers',
    startPeers(config.databaseUrl, (error) => log.error({ err: error }, 'peers')),
  )
  const management = createManagement(storage, config, {
    provisioning: certificateProgress(states),
    isPortOpen: (port) => tcpPorts.isOpen(port),
  })
  shareChanges(management.changes, peers)
  const labelled = new LabelledTunnels()
  const policies = startPolicies(surroundings)
  const { staticBackends: staticReach } = config
  const routing = await startRouting({ management, labelled, policies, staticReach, log })
  const tcpPorts = startTcpPorts(surroundings, routing)
  const nameMemory = parts.add('bound names', await loadBoundNames(storage, log))
  const sessions = startSessions(surroundings, { management, routing, labelled, policies, tcpPorts, nameMemory })
  management.connectSessions(sessionDirectory(sessions))
  const dashboard = await openDashboard(surroundings, storage, management, routing)
  const api = await buildApi(surroundings, { storage, management, dashboard, routing })
  const apiUrl = await api.listen(config.apiListen)
  parts.add('api', { [Symbol.asyncDispose]: () => api.close() })
  const { edge, dns } = await startPublicSide(surroundings, {
    storage,
    peers,
    management,
    states,
    sessions,
    routing,
    api,
  })
  // At the end running requests finish first; then the agents are sent away, over connections that the edge still holds.
  parts.add('sessions', { [Symbol.asyncDispose]: () => sessions.drain(sessionsDrainMs) })
  parts.add('visitors', { [Symbol.asyncDispose]: () => edge.drain() })
  return [
    { name: 'api', url: apiUrl },
    { name: 'edge-http', url: addressUrl('http', edge.httpAddress) },
    { name: 'edge-https', url: addressUrl('https', edge.httpsAddress) },
    ...(dns === null ? [] : [{ name: 'dns' as const, url: `dns://${config.dnsListen?.host}:${dns.port}` }]),
  ]
}

function loadBoundNames(storage: Storage, log: Logger): Promise<BoundNames> {
  return BoundNames.load(storage.db, {
    namesMaxCount: defaultSessionsLimits.offlineNamesMax,
    nowMs: Date.now,
    onFailure: (error) => log.error({ err: error }, 'names that are served could not be noted'),
  })
}

async function openDashboard(
  { config, log }: Surroundings,
  { db }: Storage,
  { accounts }: Management,
  routing: Routing,
): Promise<Dashboard> {
  const { zone, baseUrl, edgeHttpsListen } = config
  const dashboard = createDashboard({
    db,
    accounts,
    assetsDir: dashboardAssets,
    now: Date.now,
    connectUrl: connectUrl({ zone, baseUrl, httpsPort: edgeHttpsListen.port }),
    checkAddress: (accountId, address) => checkAddress(routing, { accountId, apiKeyId: null }, address),
  })
  if (await accounts.isEmpty()) log.warn({ setupToken: dashboard.setupToken }, 'no account yet')
  return dashboard
}

function startTcpPorts(
  { config, log, logLines, parts, proxied, rawMetrics }: Surroundings,
  routing: Routing,
): OpenTcpPorts {
  const tcpPorts = openTcpPorts({
    host: config.edgeHttpsListen.host,
    ...config.tcpPorts,
    connectionsMaxCount: edgeLimits.tcpConnectionsMaxCount,
    observers: [accessLog(logLines)],
    region: config.region,
    proxied,
    rawMetrics,
    restrictions: routing.restrictions.at('endpoints'),
    edges: routing.rawEdges,
    log,
  })
  parts.add('tcp-ports', { [Symbol.asyncDispose]: async () => tcpPorts[Symbol.dispose]() })
  return tcpPorts
}

function startPolicies({ config, log, metrics, parts }: Surroundings): PolicyCompiler {
  const privateHosts = new PrivateHosts(config.policyPrivateHosts)
  const keySets = parts.add('key sets', new KeySetFetcher(privateHosts))
  return new PolicyCompiler({
    now: Date.now,
    random: Math.random,
    observer: policyObserver(metrics, log, Date.now),
    fetchKeySet: (url) => keySets.fetch(url),
    allowsPrivateHost: (host) => privateHosts.has(host),
  })
}

function addressUrl(scheme: 'http' | 'https', { address, family, port }: AddressInfo): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
