import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { ServiceError, mintId } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import pino, { type Logger } from 'pino'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { buildApiApp } from './api/api-app.ts'
import { callerOf } from './api/authentication.ts'
import type { Caller } from './api/caller.ts'
import { certificateProgress } from './certificate-progress.ts'
import { rootRoute } from './certs/local-ca/root-route.ts'
import { LocalCertificates } from './certs/local-ca/local-certificates.ts'
import { garbageCollector } from './certs/serving/collect-garbage.ts'
import { StoredStates } from './certs/provisioning/stored-states.ts'
import type { Peers } from './cluster/peers.ts'
import type { ServiceConfig } from './config.ts'
import { type Dashboard, createDashboard } from './dashboard/dashboard.ts'
import { accessLog } from './edge/access-log.ts'
import { startEdge } from './edge/edge.ts'
import { edgeLimits } from './edge/limits.ts'
import { ProxiedConnections } from './edge/proxy-protocol/proxied-connections.ts'
import { RawMetrics } from './edge/raw/raw-metrics.ts'
import type { EndpointState } from './edge/endpoint-lookup.ts'
import { AccountEvents } from './events/account-events.ts'
import { eventRoutes } from './events/event-routes.ts'
import { changePublisher } from './events/publish-changes.ts'
import { TrafficMeter } from './events/traffic-meter.ts'
import { StartedParts } from './lifecycle.ts'
import { type LogDestination, logDestination } from './log-destination.ts'
import { startNamesAndCertificates } from './names-and-certificates.ts'
import { startPeers } from './cluster/start-peers.ts'
import { apiHost, followIngressNames, sessionHost } from './own-hosts.ts'
import { type OpenTcpPorts, openTcpPorts } from './open-tcp-ports.ts'
import { KeySetFetcher } from './policies/key-set-fetch.ts'
import { PolicyCompiler } from './policies/policy-compiler.ts'
import { policyObserver } from './policies/policy-observer.ts'
import { policyRoutes } from './policies/policy-routes.ts'
import { createReleaseDownloads } from './releases/release-downloads.ts'
import { type Management, createManagement } from './resources/management.ts'
import { shareChanges } from './shared-changes.ts'
import { sessionDirectory } from './session-directory.ts'
import { LabelledTunnels } from './sessions/labelled-tunnels.ts'
import { reservedNames } from './sessions/reserved-names.ts'
import { type Sessions, createSessions } from './sessions/sessions.ts'
import { type Routing, startRouting } from './start-routing.ts'
import { zoneNames } from './sessions/zone-names.ts'
import { MasterKeys } from './storage/master-keys.ts'
import { type Storage, openStorage } from './storage/open-storage.ts'
import { Sealer } from './storage/sealer.ts'

const partStopWithinMs = 12_000
const standardError = 2
const sessionsDrainMs = 5_000
const dashboardAssets = resolve(import.meta.dirname, '../../dashboard/dist')
/** Names below the zone that the service uses itself. */
const ownLabels = ['connect', 'api']

/** A listener, as printed at start: `listening NAME URL`. */
export interface Listener {
  readonly name: 'api' | 'edge-http' | 'edge-https' | 'dns'
  readonly url: string
}

/** The running service. Disposing it drains: no new sessions, running requests finish, then the rest in reverse order. */
export interface Service extends AsyncDisposable {
  readonly listeners: readonly Listener[]
}

/** What all parts are given. */
interface Surroundings {
  readonly config: ServiceConfig
  readonly log: Logger
  /** Where finished log lines go. */
  readonly logLines: LogDestination
  readonly metrics: Registry
  readonly parts: StartedParts
  /** What happens in each account, for those who follow it. */
  readonly events: AccountEvents
  readonly proxied: ProxiedConnections | null
  readonly rawMetrics: RawMetrics
}

/** Builds all parts, connects them, and starts them in the order in which they need each other. */
export async function startService(config: ServiceConfig): Promise<Service> {
  const logLines = logDestination(standardError)
  const log = pino({ name: 'service' }, logLines)
  const parts = new StartedParts((part, error) => log.error({ part, err: error }, 'a part did not stop cleanly'))
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  try {
    const events = new AccountEvents(mintIdNow, Date.now)
    const { trustedProxies: trusted } = config
    const proxied = ProxiedConnections.open({ trusted, headerWithinMs: edgeLimits.proxyHeaderMs, metrics })
    const listeners = await startParts({
      config,
      log,
      logLines,
      metrics,
      parts,
      events,
      proxied,
      rawMetrics: new RawMetrics(metrics),
    })
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
  const sessions = startSessions(surroundings, { management, routing, labelled, policies, tcpPorts })
  management.connectSessions(sessionDirectory(sessions))
  const dashboard = createDashboard({
    db: storage.db,
    accounts: management.accounts,
    assetsDir: dashboardAssets,
    now: Date.now,
    checkAddress: (accountId, address) => checkAddress(routing, { accountId, apiKeyId: null }, address),
  })
  if (await management.accounts.isEmpty()) log.warn({ setupToken: dashboard.setupToken }, 'no account yet')
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

interface SessionSources {
  readonly management: Management
  readonly routing: Routing
  readonly labelled: LabelledTunnels
  readonly policies: PolicyCompiler
  readonly tcpPorts: OpenTcpPorts
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
    restrictions: endpointFilters(routing),
    edges: routing.rawEdges,
    log,
  })
  parts.add('tcp-ports', { [Symbol.asyncDispose]: async () => tcpPorts[Symbol.dispose]() })
  return tcpPorts
}

function startSessions({ config, log, metrics, events }: Surroundings, sources: SessionSources): Sessions {
  const { management, routing, labelled, policies, tcpPorts } = sources
  const reservations = {
    ownerOf: (name: string) => management.reservations.ownerOf(name),
    isHeldByEdge: (name: string) => (routing.edges.find(name) ?? routing.rawEdges.atHost(name)) !== undefined,
  }
  const admitsAgent = (accountId: string, ip: string) =>
    routing.restrictions.find(accountId, 'agent')?.isAllowed(ip) ?? true
  const ipPolicyOf = (accountId: string) => (id: string) =>
    routing.filters.has(accountId, id) ? routing.filters.ipPolicy(accountId, id) : undefined
  const sessions = createSessions({
    authtokens: management.authtokens,
    admitsAgent,
    labelled,
    names: reservedNames(reservations, zoneNames(config.zone, ownLabels), config.zone),
    compilePolicy: (document, place) => policies.compile(document, { ...place, ipPolicy: ipPolicyOf(place.accountId) }),
    // Every name is served over both; the address to hand out is the one that nobody can read along.
    publicUrl: (_protocol, domain) => `https://${domain}`,
    tcp: { host: `tcp.${config.zone}`, ports: tcpPorts.ports },
    identityKey: MasterKeys.open(join(dirname(config.masterKeyFile), 'identity.key')).current.key,
    zone: config.zone,
    region: config.region,
    mintId: mintIdNow,
    clock: { nowMs: () => performance.now(), wallMs: Date.now },
    random: Math.random,
    log,
    registry: metrics,
    publish: (accountId, event, object) => events.publish(accountId, event, object),
  })
  routing.restrictions.listen(() => sessions.closeOutsiders(admitsAgent))
  management.changes.listen('cr', ({ id, change }) => {
    if (change === 'deleted') return sessions.closeByCredential(id)
    const { credentials } = management.resources
    const applied = credentials.find(id).then((found) => found && sessions.applyAcl(id, found.body.acl))
    applied.catch((error: unknown) => log.error({ err: error, id }, 'changed rules do not act yet'))
  })
  for (const prefix of ['rd', 'agin'] as const)
    management.changes.listen(prefix, ({ id, change }) => {
      if (change === 'deleted') return
      const { reservedDomains, agentIngresses } = management.resources
      const reserved = prefix === 'rd' ? reservedDomains.find(id) : agentIngresses.find(id)
      const applied = reserved.then((found) => found && sessions.applyReservation(found.body.domain))
      applied.catch((error: unknown) => log.error({ err: error, id }, 'a reservation does not act yet'))
    })
  return sessions
}

function startPolicies({ log, metrics, parts }: Surroundings): PolicyCompiler {
  const keySets = parts.add('key sets', new KeySetFetcher())
  const observer = policyObserver(metrics, log, Date.now)
  return new PolicyCompiler({ now: Date.now, random: Math.random, observer, fetchKeySet: (url) => keySets.fetch(url) })
}

interface ApiSources {
  readonly storage: Storage
  readonly management: Management
  readonly dashboard: Dashboard
  readonly routing: Routing
}

function buildApi({ config, log, metrics, events }: Surroundings, sources: ApiSources): Promise<FastifyInstance> {
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
      policyRoutes(app)
      eventRoutes(app, events, (request) => callerOf(request).accountId)
    },
    openRoutes: (app) => {
      rootRoute(app, join(config.dataDir, 'local-ca.pem'))
      return dashboard.routes(app)
    },
    requestsPerMinute: config.requestsPerMinute,
  })
}

interface PublicSources {
  readonly storage: Storage
  readonly peers: Peers
  readonly management: Management
  readonly states: StoredStates
  readonly sessions: Sessions
  readonly routing: Routing
  readonly api: FastifyInstance
}

/** What the internet talks to: names, certificates, and the listeners that use them. */
async function startPublicSide(surroundings: Surroundings, sources: PublicSources) {
  const { config, logLines, metrics, parts, events, proxied, rawMetrics } = surroundings
  const { storage, sessions, routing, api } = sources
  const publishSample = (accountId: string, sample: object) =>
    events.publishInPassing(accountId, 'traffic_sampled', sample)
  const traffic = parts.add('traffic', new TrafficMeter(() => events.followedAccounts, publishSample))
  const endpoints = { find: (host: string) => findEndpoint(host, routing, sessions) }
  const releases = createReleaseDownloads(config.releasesDir)
  const ownHosts = new Map([
    [`connect.${config.zone}`, sessionHost(sessions, releases)],
    [`api.${config.zone}`, apiHost(api)],
  ])
  const isPublished = (name: string) => ownHosts.has(name) || endpoints.find(name).kind !== 'unknown'
  const { dns, ...tls } = await startNamesAndCertificates({
    ...surroundings,
    ...sources,
    lastResort: await openLocalCertificates(config, storage, isPublished),
    onIngressNames: followIngressNames(ownHosts, (accountId) => sessionHost(sessions, releases, accountId)),
  })
  const listen = { httpListen: config.edgeHttpListen, httpsListen: config.edgeHttpsListen }
  const seen = { accessLog: logLines, metrics, observers: [traffic], region: config.region }
  const edge = await startEdge({
    ...tls,
    ...listen,
    ...seen,
    endpoints,
    ownHosts,
    proxied,
    rawMetrics,
    restrictions: endpointFilters(routing),
  })
  return { dns, edge: parts.add('edge', edge) }
}

function openLocalCertificates(
  config: ServiceConfig,
  storage: Storage,
  isPublished: (name: string) => boolean,
): Promise<LocalCertificates> {
  return LocalCertificates.open({
    dataDir: config.dataDir,
    zone: config.zone,
    sealer: new Sealer(storage.masterKeys),
    isPublished,
    now: () => new Date(),
    collectGarbage: garbageCollector(),
  })
}

async function checkAddress(
  { restrictions }: Routing,
  { accountId, apiKeyId }: Pick<Caller, 'accountId' | 'apiKeyId'>,
  address: string,
): Promise<void> {
  const surface = apiKeyId === null ? 'dashboard' : 'api'
  if (await restrictions.admits(accountId, surface, address)) return
  throw new ServiceError('caller_address_refused', { address, surface })
}

function endpointFilters({ restrictions }: Routing) {
  return { find: (accountId: string) => restrictions.find(accountId, 'endpoints') }
}

/** What an edge publishes comes before what agents bind. */
function findEndpoint(host: string, { edges, rawEdges }: Routing, sessions: Sessions): EndpointState {
  const edge = edges.find(host)
  if (edge !== undefined) return { kind: 'edge', edge }
  const rawEdge = rawEdges.atHost(host)
  return rawEdge === undefined ? sessions.find(host) : { kind: 'raw-edge', edge: rawEdge }
}

function mintIdNow(prefix: string): string {
  return mintId(prefix, Date.now())
}

function addressUrl(scheme: 'http' | 'https', { address, family, port }: AddressInfo): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
