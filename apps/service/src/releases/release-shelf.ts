import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { compareVersions, type Manifest, parseVersion, readManifest, releasePlaces } from '@tunnel/agent-release'

/** A release that cannot be offered. */
export class ReleaseShelfError extends Error {
  override readonly name = 'ReleaseShelfError'
}

/** The releases directory: what agents are offered. The service only stores what was signed elsewhere. */
export class ReleaseShelf {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Offers a signed bundle as the newest of its channel and major version. @throws ReleaseShelfError */
  async publish(bundle: Buffer, signedRelease: string): Promise<Manifest> {
    const manifest = readManifest(parseJson(signedRelease))
    if (manifest === null) throw new ReleaseShelfError('The signed release is malformed; sign the bundle again.')
    const { sha256, sizeBytes, version, channel, allowDowngrade } = manifest
    if (bundle.length !== sizeBytes || createHash('sha256').update(bundle).digest('hex') !== sha256) {
      throw new ReleaseShelfError('The bundle is not the one that was signed; sign it again.')
    }
    const place = releasePlaces.latest(channel, parseVersion(version)?.major ?? 0)
    const offered = await this.#offeredAt(place)
    if (offered !== null && !allowDowngrade && compareVersions(version, offered.version) <= 0) {
      throw new ReleaseShelfError(`Version ${offered.version} is offered already; a new release needs a higher one.`)
    }
    // The bundle first: an offer without its bundle would fail on every agent.
    await this.#replace(releasePlaces.bundle(sha256), bundle)
    await this.#replace(place, signedRelease)
    return manifest
  }

  /** What is offered now, in the order of channels and versions. */
  async list(): Promise<readonly Manifest[]> {
    const names = await readdir(this.#directory, { recursive: true }).catch(() => [])
    const places = names.filter((name) => /^[a-z][a-z0-9-]*[\\/]\d+\.json$/.test(name)).sort()
    const offers = await Promise.all(places.map((place) => this.#offeredAt(place)))
    return offers.filter((offer) => offer !== null)
  }

  async #offeredAt(place: string): Promise<Manifest | null> {
    const text = await readFile(join(this.#directory, place), 'utf8').catch(() => null)
    return text === null ? null : readManifest(parseJson(text))
  }

  async #replace(place: string, content: Buffer | string): Promise<void> {
    const path = join(this.#directory, place)
    const temporary = `${path}.${randomUUID()}.tmp`
    await mkdir(dirname(path), { recursive: true })
    await writeFile(temporary, content, { flush: true })
    await rename(temporary, path)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
