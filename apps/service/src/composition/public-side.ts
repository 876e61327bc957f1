import type { FastifyInstance } from 'fastify'
import { LocalCertificates, type LocalCertificatesDeps } from '../certs/local-ca/local-certificates.ts'
import { freeDroppedContexts } from '../certs/serving/collect-garbage.ts'
import type { StoredStates } from '../certs/provisioning/stored-states.ts'
import type { Peers } from '../cluster/peers.ts'
import type { ServiceConfig } from '../config.ts'
import type { DnsServer } from '../dns/dns-server.ts'
import { type Edge, startEdge } from '../edge/edge.ts'
import type { EndpointState } from '../edge/endpoint-lookup.ts'
import { TrafficMeter } from '../events/traffic-meter.ts'
import { startNamesAndCertificates } from './names-and-certificates.ts'
import { apiHost, followIngressNames, sessionHost } from './own-hosts.ts'
import { createReleaseDownloads } from '../releases/release-downloads.ts'
import type { Management } from '../resources/management.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Routing } from './start-routing.ts'
import type { Storage } from '../storage/open-storage.ts'
import { Sealer } from '../storage/sealer.ts'
import type { Surroundings } from './surroundings.ts'

export interface PublicSources {
  readonly storage: Storage
  readonly peers: Peers
  readonly management: Management
  readonly states: StoredStates
  readonly sessions: Sessions
  readonly routing: Routing
  readonly api: FastifyInstance
}

export interface PublicSide {
  readonly edge: Edge
  readonly dns: DnsServer | null
}

/** What the internet talks to: names, certificates, and the listeners that use them. */
export async function startPublicSide(surroundings: Surroundings, sources: PublicSources): Promise<PublicSide> {
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
  const onContextDropped = freeDroppedContexts()
  const { dns, ...tls } = await startNamesAndCertificates({
    ...surroundings,
    ...sources,
    onContextDropped,
    lastResort: await openLocalCertificates(config, storage, { isPublished, onDropped: onContextDropped }),
    onIngressNames: followIngressNames(ownHosts, (accountId) => sessionHost(sessions, releases, accountId)),
  })
  const listen = { httpListen: config.edgeHttpListen, httpsListen: config.edgeHttpsListen }
  const seen = { accessLog: logLines, metrics, observers: [traffic], region: config.region }
  const edge = await startEdge({
    ...tls,
    ...listen,
    ...seen,
    onContextDropped,
    endpoints,
    ownHosts,
    proxied,
    rawMetrics,
    restrictions: routing.restrictions.at('endpoints'),
  })
  return { dns, edge: parts.add('edge', edge) }
}

function openLocalCertificates(
  config: ServiceConfig,
  storage: Storage,
  told: Pick<LocalCertificatesDeps, 'isPublished' | 'onDropped'>,
): Promise<LocalCertificates> {
  return LocalCertificates.open({
    dataDir: config.dataDir,
    zone: config.zone,
    sealer: new Sealer(storage.masterKeys),
    now: () => new Date(),
    ...told,
  })
}

/** What an edge publishes comes before what agents bind. A reserved name is somebody's even when nothing serves it. */
function findEndpoint(host: string, { edges, rawEdges, reservedHosts }: Routing, sessions: Sessions): EndpointState {
  const edge = edges.find(host)
  if (edge !== undefined) return { kind: 'edge', edge }
  const rawEdge = rawEdges.atHost(host)
  if (rawEdge !== undefined) return { kind: 'raw-edge', edge: rawEdge }
  const bound = sessions.find(host)
  return bound.kind === 'unknown' && reservedHosts.has(host) ? { kind: 'offline' } : bound
}
