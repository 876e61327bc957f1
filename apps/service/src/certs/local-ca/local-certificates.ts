import { createSecureContext, type SecureContext } from 'node:tls'
import { ContextCache } from '../serving/context-cache.ts'
import { type KeySealer, openRootFile } from './root-file.ts'
import { type KeyAndCertificate, RootAuthority, type Validity } from './root-authority.ts'

export interface LocalCertificatesDeps {
  readonly dataDir: string
  readonly zone: string
  readonly sealer: KeySealer
  /** Whether a name or wildcard outside the zone is published here; no other name makes work or takes memory. */
  isPublished(hostName: string): boolean
  now(): Date
  /** Told of every TLS context that is dropped. */
  onDropped(): void
}

interface Leaf extends KeyAndCertificate, Validity {
  readonly context: SecureContext
}

const dayMs = 86_400_000
const lifetimeMs = 90 * dayMs
const renewedBeforeMs = 30 * dayMs
/** Certificates in memory for names outside the zone; the least recently used goes first. */
const contextsMax = 1_000
/** Names below a wildcard cost nothing to think up: making certificates for them must not fill a core. */
const creationsPerSecond = 50

/** Certificates of the local CA: one for the zone and all names directly in it, and one for each published name outside. */
export class LocalCertificates {
  readonly #deps: LocalCertificatesDeps
  readonly #root: RootAuthority
  readonly #rootPem: string
  readonly #contexts: ContextCache
  #zoneLeaf: Leaf

  private constructor(deps: LocalCertificatesDeps, root: RootAuthority, rootPem: string, zoneLeaf: Leaf) {
    this.#deps = deps
    this.#root = root
    this.#rootPem = rootPem
    this.#zoneLeaf = zoneLeaf
    this.#contexts = new ContextCache({
      load: (id) => this.#issue(id),
      contextsMax,
      creationsPerSecond,
      nowMs: () => performance.now(),
      onDropped: () => deps.onDropped(),
    })
  }

  static async open(deps: LocalCertificatesDeps): Promise<LocalCertificates> {
    const files = await openRootFile(deps.dataDir, deps.sealer)
    const root = RootAuthority.open(files)
    const zoneLeaf = await issueLeaf(root, zoneNames(deps.zone), deps.now())
    return new LocalCertificates(deps, root, files.cert, zoneLeaf)
  }

  /** The root certificate as PEM, for visitors and agents to trust. */
  get rootPem(): string {
    return this.#rootPem
  }

  /** For connections that name no server, and for unknown names: the certificate of the zone. */
  fallback(): KeyAndCertificate {
    return this.#zoneLeaf
  }

  /** Rejects when too many names are asked for at once. */
  async contextFor(serverName: string): Promise<SecureContext> {
    if (this.#isOfZone(serverName)) return (await this.#freshZoneLeaf()).context
    const context = await this.#contexts.get(this.#certificateId(serverName))
    return context ?? (await this.#freshZoneLeaf()).context
  }

  async keyPairFor(serverName: string): Promise<KeyAndCertificate> {
    if (this.#isOfZone(serverName)) return this.#freshZoneLeaf()
    const loaded = await this.#contexts.load(this.#certificateId(serverName))
    return loaded === undefined ? this.#freshZoneLeaf() : { key: loaded.privateKeyPem, cert: loaded.chainPem }
  }

  /** Whether a connection that was opened for `serverName` may carry requests for `hostName` (RFC 9110 7.4). */
  covers(serverName: string | undefined, hostName: string): boolean {
    if (serverName === hostName) return true
    if (this.#isInZone(hostName)) return serverName === undefined || this.#isInZone(serverName)
    return serverName !== undefined && this.#certifiedName(serverName) === this.#certifiedName(hostName)
  }

  #isOfZone(serverName: string): boolean {
    return this.#isInZone(serverName) || !this.#deps.isPublished(serverName)
  }

  #certificateId(serverName: string): string {
    return `${this.#certifiedName(serverName)} ${this.#period()}`
  }

  async #freshZoneLeaf(): Promise<Leaf> {
    if (!this.#isFresh(this.#zoneLeaf))
      this.#zoneLeaf = await issueLeaf(this.#root, zoneNames(this.#deps.zone), this.#deps.now())
    return this.#zoneLeaf
  }

  async #issue(id: string): Promise<{ readonly chainPem: string; readonly privateKeyPem: string }> {
    const [name = ''] = id.split(' ')
    const { cert, key } = await this.#root.issue([name], validityFrom(this.#deps.now()))
    return { chainPem: cert, privateKeyPem: key }
  }

  /** The wildcard that stands for a name, where one is published: all names next to each other share a certificate. */
  #certifiedName(hostName: string): string {
    const wildcard = `*${hostName.slice(hostName.indexOf('.'))}`
    return this.#deps.isPublished(wildcard) ? wildcard : hostName
  }

  /** Each certificate serves in the period of its making, so it is never old, also when the clock jumped. */
  #period(): number {
    return Math.floor(this.#deps.now().getTime() / renewedBeforeMs)
  }

  /** The clock may have jumped either way since the certificate was made. */
  #isFresh({ notBefore, notAfter }: Validity): boolean {
    const now = this.#deps.now().getTime()
    return now >= notBefore.getTime() && now < notAfter.getTime() - renewedBeforeMs
  }

  /** The zone itself or one label below it: what a wildcard certificate stands for. */
  #isInZone(hostName: string): boolean {
    const { zone } = this.#deps
    if (hostName === zone) return true
    return hostName.endsWith(`.${zone}`) && !hostName.slice(0, -zone.length - 1).includes('.')
  }
}

function zoneNames(zone: string): string[] {
  return [zone, `*.${zone}`]
}

function validityFrom(now: Date): Validity {
  const notBefore = new Date(now.getTime() - dayMs)
  return { notBefore, notAfter: new Date(notBefore.getTime() + lifetimeMs) }
}

async function issueLeaf(root: RootAuthority, names: readonly string[], now: Date): Promise<Leaf> {
  const validity = validityFrom(now)
  const issued = await root.issue(names, validity)
  return { ...issued, ...validity, context: createSecureContext({ ...issued, minVersion: 'TLSv1.2' }) }
}
