import { createSecureContext, type SecureContext } from 'node:tls'
import { type KeySealer, openRootFile } from './root-file.ts'
import { type KeyAndCertificate, RootAuthority, type Validity } from './root-authority.ts'

export interface LocalCertificatesDeps {
  readonly dataDir: string
  readonly zone: string
  readonly sealer: KeySealer
  /** Whether a name outside the zone is published here; no other name makes work or takes memory. */
  isPublished(hostName: string): boolean
  now(): Date
}

interface Leaf extends KeyAndCertificate, Validity {
  readonly context: SecureContext
}

const dayMs = 86_400_000
const lifetimeMs = 90 * dayMs
const renewedBeforeMs = 30 * dayMs
/** Certificates in memory for names outside the zone; the least recently used goes first. */
const leavesMaxCount = 1_000

/** Certificates of the local CA: one for the zone and all names directly in it, and one for each published name outside. */
export class LocalCertificates {
  readonly #deps: LocalCertificatesDeps
  readonly #root: RootAuthority
  readonly #rootPem: string
  readonly #leaves = new Map<string, Promise<Leaf>>()
  #zoneLeaf: Leaf

  private constructor(deps: LocalCertificatesDeps, root: RootAuthority, rootPem: string, zoneLeaf: Leaf) {
    this.#deps = deps
    this.#root = root
    this.#rootPem = rootPem
    this.#zoneLeaf = zoneLeaf
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

  async contextFor(serverName: string): Promise<SecureContext> {
    if (this.#isInZone(serverName) || !this.#deps.isPublished(serverName)) return this.#zoneContext()
    const known = this.#leaves.get(serverName)
    const leaf = await this.#remember(serverName, known ?? this.#issueFor(serverName))
    if (this.#isFresh(leaf)) return leaf.context
    return (await this.#remember(serverName, this.#issueFor(serverName))).context
  }

  /** Whether a connection that was opened for `serverName` may carry requests for `hostName` (RFC 9110 7.4). */
  covers(serverName: string | undefined, hostName: string): boolean {
    if (serverName === hostName) return true
    return this.#isInZone(hostName) && (serverName === undefined || this.#isInZone(serverName))
  }

  async #zoneContext(): Promise<SecureContext> {
    if (!this.#isFresh(this.#zoneLeaf))
      this.#zoneLeaf = await issueLeaf(this.#root, zoneNames(this.#deps.zone), this.#deps.now())
    return this.#zoneLeaf.context
  }

  #issueFor(name: string): Promise<Leaf> {
    const leaf = issueLeaf(this.#root, [name], this.#deps.now())
    leaf.catch(() => this.#leaves.delete(name))
    return leaf
  }

  #remember(name: string, leaf: Promise<Leaf>): Promise<Leaf> {
    this.#leaves.delete(name)
    this.#leaves.set(name, leaf)
    const [oldest] = this.#leaves.keys()
    if (this.#leaves.size > leavesMaxCount && oldest !== undefined) this.#leaves.delete(oldest)
    return leaf
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

async function issueLeaf(root: RootAuthority, names: readonly string[], now: Date): Promise<Leaf> {
  const notBefore = new Date(now.getTime() - dayMs)
  const validity = { notBefore, notAfter: new Date(notBefore.getTime() + lifetimeMs) }
  const issued = await root.issue(names, validity)
  return { ...issued, ...validity, context: createSecureContext({ ...issued, minVersion: 'TLSv1.2' }) }
}
