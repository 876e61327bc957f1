import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import { CertificateVault } from './certificate-vault.ts'
import { AcmeConnection } from './certs/acme/acme-connection.ts'
import { DnsChallenges } from './certs/challenges/dns-challenges.ts'
import { HttpChallenges } from './certs/challenges/http-challenges.ts'
import { Provisioning } from './certs/provisioning/provisioning.ts'
import type { StoredStates } from './certs/provisioning/stored-states.ts'
import { CertificateSelection, type LastResort } from './certs/serving/certificate-selection.ts'
import { ContextCache } from './certs/serving/context-cache.ts'
import { ServedNames } from './certs/serving/served-names.ts'
import { TicketKeys } from './certs/serving/ticket-keys.ts'
import type { AcmeConfig, ServiceConfig } from './config.ts'
import { Authority } from './dns/authority.ts'
import { dnsEvents } from './dns/dns-counters.ts'
import { type DnsServer, startDnsServer } from './dns/dns-server.ts'
import { PublicDns } from './dns/public-dns.ts'
import type { StartedParts } from './lifecycle.ts'
import { PublishedNames } from './published-names.ts'
import type { Management } from './resources/management.ts'
import type { Storage } from './storage/open-storage.ts'

export interface NamesAndCertificatesDeps {
  readonly config: ServiceConfig
  readonly log: Logger
  readonly metrics: Registry
  readonly parts: StartedParts
  readonly storage: Storage
  readonly management: Management
  readonly states: StoredStates
  readonly lastResort: LastResort
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
/** The TTL of challenge records is one second; resolvers count in whole seconds. */
const challengeSettleMs = 1_300

/** Starts DNS and the upkeep of certificates, in step with what accounts reserve. */
export async function startNamesAndCertificates(deps: NamesAndCertificatesDeps): Promise<NamesAndCertificates> {
  const { config, log, parts, storage, management, states, lastResort } = deps
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
    authority,
    served,
    hasOwnZone,
    onIngressNames: deps.onIngressNames,
  })
  const challenges = new HttpChallenges()
  const dnsChallenges = new DnsChallenges({ records: authority, settleMs: challengeSettleMs, nowMs: Date.now })

  const dns = config.dnsListen === null ? null : parts.add('dns', await startDns(authority, config.dnsListen, log))
  const acme = connectToAuthority(config.acme, storage)
  const lookup = new PublicDns({ resolvers: config.dnsResolvers, authoritativePort: 53 })
  if (dns !== null) showCounters(dns, deps.metrics)
  const provisioning = await Provisioning.start({
    subjects: published,
    subjectIds: () => published.load(),
    states,
    certificates: vault,
    lookup,
    authority: acme,
    presenterFor: (proof) =>
      proof.type === 'http-01' ? challenges.presenter : dnsChallenges.presenter(proof.recordOf),
    nowMs: Date.now,
    random: Math.random,
    onState: (id, state) => published.onState(id, state),
    onFailure: (subject, error) => log.warn({ subject, err: error }, 'a certificate could not be obtained'),
  })
  parts.add('provisioning', { [Symbol.asyncDispose]: () => stopInOrder(provisioning, acme, lookup) })
  const following = published.follow((id) => provisioning.notice(id))
  parts.add('changes of names', { [Symbol.asyncDispose]: () => Promise.resolve(following[Symbol.dispose]()) })

  const contexts = new ContextCache({
    load: (id) => vault.load(id),
    contextsMax: config.tlsContextsMax,
    creationsPerSecond: contextsPerSecond,
    nowMs: () => performance.now(),
  })
  const ticketKeys = await TicketKeys.start({
    values: storage.values,
    nowMs: Date.now,
    onFailure: (error) => log.error({ err: error }, 'the keys of TLS session tickets could not be renewed'),
  })
  parts.add('ticket keys', { [Symbol.asyncDispose]: () => Promise.resolve(ticketKeys[Symbol.dispose]()) })
  const certificates = new CertificateSelection({ names: served, contexts, lastResort })
  return { certificates, challenges, dns, ticketKeys }
}

/** Runs are told first, then their requests are cut off: so none of them takes the end for a failure. */
async function stopInOrder(provisioning: AsyncDisposable, acme: AsyncDisposable, lookup: Disposable): Promise<void> {
  const stopped = provisioning[Symbol.asyncDispose]()
  lookup[Symbol.dispose]()
  await acme[Symbol.asyncDispose]()
  await stopped
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

function connectToAuthority(acme: AcmeConfig, { values }: Storage): AcmeConnection {
  const { directory, caFile, email, profile, eabKeyId, eabKeyFile } = acme
  const hasBinding = eabKeyId !== null && eabKeyFile !== null
  return new AcmeConnection({
    directoryUrl: directory,
    caPem: caFile === null ? null : readFileSync(caFile, 'utf8'),
    email,
    profile,
    externalAccount: hasBinding ? { keyId: eabKeyId, hmacKey: readHmacKey(eabKeyFile) } : null,
    accountKey: async () => createPrivateKey(await values.readOrCreate(`acme-account ${directory}`, newAccountKeyPem)),
    nowMs: Date.now,
  })
}

/** Authorities hand the key out as base64url text. */
function readHmacKey(file: string): Buffer {
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
}

function newAccountKeyPem(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
