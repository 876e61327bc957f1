import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type CertifiedKey,
  certifyReleaseKey,
  generateSigningKey,
  type Manifest,
  releasePlaces,
  type SignedRelease,
  signRelease,
} from '@tunnel/agent-release'

const year = 365 * 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** What a service offers to its agents, kept in memory; each part can be spoilt. */
export class ReleaseSource {
  readonly root = generateSigningKey()
  readonly releaseKey = generateSigningKey()
  readonly key: CertifiedKey
  readonly files = new Map<string, Buffer>()
  /** Bytes after which a bundle's transfer breaks off. */
  breakAfterBytes = Infinity
  /** Called before a bundle is sent. */
  beforeBundle: () => Promise<void> = async () => undefined
  /** Called when half of a bundle was sent. */
  beforeRest: () => Promise<void> = async () => undefined
  readonly ranges: (string | undefined)[] = []

  constructor() {
    const terms = { expiresAt: new Date(Date.now() + year).toISOString(), revokes: [] }
    this.key = certifyReleaseKey(this.releaseKey.publicKey, terms, this.root.privatePem)
  }

  /** Offers a bundle as the newest of its major version. */
  publish(version: string, bundle: Buffer, change: Partial<Manifest> = {}): SignedRelease {
    const sha256 = createHash('sha256').update(bundle).digest('hex')
    const manifest: Manifest = {
      schema: 1,
      product: 'tunnel-agent',
      version,
      channel: 'stable',
      minAgent: '1.0.0',
      minNode: '20.18.0',
      sha256,
      sizeBytes: bundle.length,
      createdAt: inDays(-1),
      expiresAt: inDays(30),
      allowDowngrade: false,
      ...change,
    }
    const release = signRelease(manifest, this.key, this.releaseKey.privatePem)
    this.files.set(releasePlaces.bundle(manifest.sha256), bundle)
    this.offer(release)
    return release
  }

  offer(release: object, major = 1): void {
    this.files.set(releasePlaces.latest('stable', major), Buffer.from(JSON.stringify(release)))
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = (request.url ?? '').slice(releasePlaces.root.length + 1)
    const content = this.files.get(place)
    if (content === undefined) return void response.writeHead(404).end()
    if (!place.startsWith('bundles/')) return void response.end(content)
    await this.beforeBundle()
    const { range } = request.headers
    this.ranges.push(range)
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const headers = start > 0 ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}
    response.writeHead(start > 0 ? 206 : 200, { ...headers, 'content-length': content.length - start })
    const part = content.subarray(start, start + this.breakAfterBytes)
    const half = Math.ceil(part.length / 2)
    response.write(part.subarray(0, half))
    await this.beforeRest()
    response.write(part.subarray(half), () =>
      part.length < content.length - start ? response.destroy() : response.end(),
    )
  }
}
