import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import { startCertificateUpkeep } from './certificate-upkeep.ts'
import { CertificateVault } from './certificate-vault.ts'
import type { HttpChallenges } from '../certs/challenges/http-challenges.ts'
import { Proofs } from '../certs/challenges/proofs.ts'
import type { StoredStates } from '../certs/provisioning/stored-states.ts'
import { CertificateSelection, type LastResort } from '../certs/serving/certificate-selection.ts'
import { ContextCache } from '../certs/serving/context-cache.ts'
import { ServedNames } from '../certs/serving/served-names.ts'
import { TicketKeys } from '../certs/serving/ticket-keys.ts'
import type { Peers } from '../cluster/peers.ts'
import type { ServiceConfig } from '../config.ts'
import { Authority } from '../dns/authority.ts'
import { dnsEvents } from '../dns/dns-counters.ts'
import { type DnsServer, startDnsServer } from '../dns/dns-server.ts'
import type { StartedParts } from './lifecycle.ts'
import { peerTopics } from './peer-topics.ts'
import { PublishedNames } from './published-names.ts'
import type { Management } from '../resources/management.ts'
import { shareUpkeep } from './shared-upkeep.ts'
import type { Storage } from '../storage/open-storage.ts'

export interface NamesAndCertificatesDeps {
  readonly config: ServiceConfig
  readonly log: Logger
  readonly metrics: Registry
  readonly parts: StartedParts
  readonly storage: Storage
  readonly peers: Peers
  readonly management: Management
  readonly states: StoredStates
  readonly lastResort: LastResort
  /** Told of every TLS context that is dropped. */
  readonly onContextDropped: () => void
  /** An ingress takes sessions at these names from now on; none: no longer. */
  readonly onIngressNames: (
    ingress: { readonly id: string; readonly accountId: string },
    names: readonly string[],
  ) => void
}

/** What the edge needs of certificates, and the DNS server when there is one. */
export interface NamesAndCertificates {
  readonly certificates: CertificateSelection
  readonly challenges: HttpChallenges
  readonly ticketKeys: TicketKeys
  readonly dns: DnsServer | null
}

const contextsPerSecond = 100

/** Starts DNS and the upkeep of certificates, in step with what accounts reserve. */
export async function startNamesAndCertificates(deps: NamesAndCertificatesDeps): Promise<NamesAndCertificates> {
  const { config, log, parts, storage, peers, management, states, lastResort } = deps
  const authority = new Authority({
    domain: config.zone,
    publicIps: config.publicIps,
    nowSeconds: () => Date.now() / 1_000,
  })
  const vault = new CertificateVault({
    ...storage,
    tlsCertificates: management.resources.tlsCertificates,
    nowMs: Date.now,
  })
  const served = new ServedNames()
  const hasOwnZone = config.dnsListen !== null && !config.zone.endsWith('.localhost')
  const published = new PublishedNames({
    management,
    states,
    authority,
    served,
    hasOwnZone,
    onFailure: (error) => log.error({ err: error }, 'a change of names could not be followed'),
    onIngressNames: deps.onIngressNames,
  })
  await published.load()
  const proofs: Proofs = new Proofs({
    records: authority,
    onChanged: () => peers.tell(peerTopics.proofs, proofs.published),
  })
  const dns = config.dnsListen === null ? null : parts.add('dns', await startDns(authority, config.dnsListen, log))
  if (dns !== null) showCounters(dns, deps.metrics)
  const upkeep = await shareUpkeep({
    peers,
    published,
    proofs,
    startUpkeep: () => startCertificateUpkeep({ ...deps, published, vault, proofs }),
  })
  const following = published.follow((id) => upkeep.notice(id))
  parts.add('changes of names', { [Symbol.asyncDispose]: () => Promise.resolve(following[Symbol.dispose]()) })

  const contexts = new ContextCache({
    load: (id) => vault.load(id),
    contextsMax: config.tlsContextsMax,
    creationsPerSecond: contextsPerSecond,
    nowMs: () => performance.now(),
    onDropped: deps.onContextDropped,
  })
  const ticketKeys = await TicketKeys.start({
    values: storage.values,
    nowMs: Date.now,
    onFailure: (error) => log.error({ err: error }, 'the keys of TLS session tickets could not be renewed'),
  })
  parts.add('ticket keys', { [Symbol.asyncDispose]: () => Promise.resolve(ticketKeys[Symbol.dispose]()) })
  const certificates = new CertificateSelection({ names: served, contexts, lastResort })
  return { certificates, challenges: proofs.answers, dns, ticketKeys }
}

function startDns(
  authority: Authority,
  listen: NonNullable<ServiceConfig['dnsListen']>,
  log: Logger,
): Promise<DnsServer> {
  return startDnsServer({
    zones: authority.zones,
    listen,
    nowMs: () => performance.now(),
    onFailure: (error) => log.error({ err: error }, 'a DNS question could not be answered'),
  })
}

function showCounters({ counters }: DnsServer, metrics: Registry): void {
  const gauge = new Gauge({
    name: 'service_dns_events',
    help: 'What the DNS server did since the start, by event.',
    labelNames: ['event'],
    registers: [metrics],
    collect: () => {
      for (const event of dnsEvents) gauge.set({ event }, counters.count(event))
    },
  })
}
