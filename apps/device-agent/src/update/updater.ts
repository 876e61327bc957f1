import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  type Manifest,
  parseVersion,
  type PublicKeyText,
  ReleaseError,
  releasePlaces,
  signedReleaseMaxBytes,
  type VerifiedRelease,
  verifyRelease,
} from '@tunnel/agent-release'
import { fetchFile, fetchText, HttpError, type HttpRoute } from '../network/http-client.ts'
import { type OwnFacts, unsuitable } from './offer.ts'
import { refuseUpdate, type UpdateRefusal } from './refusals.ts'
import type { ReleaseFiles } from './release-files.ts'
import { beginDownload, failDownload, stage } from './transitions.ts'
import type { BeforeUpdate, Release } from './update-state.ts'
import type { UpdateStateKeeper } from './update-state-keeper.ts'

export interface UpdaterOptions {
  readonly isEnabled: boolean
  readonly own: OwnFacts
  readonly roots: readonly PublicKeyText[]
  /** Where the service offers releases. */
  readonly source: URL
  readonly route: HttpRoute
  readonly files: ReleaseFiles
  readonly state: UpdateStateKeeper
  /** Null while the clock of the device cannot be trusted. */
  readonly trustedNowMs: () => number | null
  readonly describeNow: () => BeforeUpdate
  readonly onStep: (step: string, detail: object) => void
}

const freeSpaceFactor = 3
const selfTestTimeoutMs = 20_000
const runFile = promisify(execFile)

/** Fetches and stages new versions of the agent. Trying them is the launcher's part. */
export class Updater {
  readonly #options: UpdaterOptions
  #isBusy = false
  #download: Promise<void> = Promise.resolve()

  constructor(options: UpdaterOptions) {
    this.#options = options
  }

  /** Starts an update and settles when it is under way: null, or why there is none. */
  async begin(): Promise<UpdateRefusal | null> {
    const refusal = this.#refuseNow()
    if (refusal !== null) return refusal
    this.#isBusy = true
    const release = await this.#check()
    if (!('manifest' in release)) {
      this.#isBusy = false
      return release
    }
    this.#download = this.#fetch(release).finally(() => (this.#isBusy = false))
    return null
  }

  /** Settles when nothing is being fetched. */
  async idle(): Promise<void> {
    await this.#download
  }

  #refuseNow(): UpdateRefusal | null {
    const { phase } = this.#options.state.current
    if (!this.#options.isEnabled) return refuseUpdate('update_checks_disabled')
    if (phase.kind === 'staged') return refuseUpdate('update_pending_restart')
    if (this.#isBusy || phase.kind === 'trial') return refuseUpdate('update_in_progress')
    return null
  }

  async #check(): Promise<VerifiedRelease | UpdateRefusal> {
    const { own, state, files } = this.#options
    try {
      const release = await this.#fetchOffer()
      const reason = unsuitable(release.manifest, own, state.current)
      if (reason !== null) return refuseUpdate('no_update_available', reason)
      await files.prepare()
      const isRoomy = (await files.freeBytes()) >= freeSpaceFactor * release.manifest.sizeBytes
      return isRoomy ? release : refuseUpdate('insufficient_disk')
    } catch (error) {
      return explain(error)
    }
  }

  async #fetchOffer(): Promise<VerifiedRelease> {
    const { own, roots, route, state, trustedNowMs } = this.#options
    const place = this.#placeOf(releasePlaces.latest(own.channel, parseVersion(own.agentVersion)?.major ?? 0))
    const json: unknown = JSON.parse(await fetchText(place, signedReleaseMaxBytes, route))
    return verifyRelease(json, { roots, revokedKeyIds: state.current.revokedKeyIds }, trustedNowMs())
  }

  async #fetch({ manifest, revokes }: VerifiedRelease): Promise<void> {
    const { own, state, onStep, describeNow } = this.#options
    const target = { version: manifest.version, sha256: manifest.sha256 }
    try {
      await state.change((current) => beginDownload(current, target, revokes))
      onStep('downloading', target)
      await this.#obtain(manifest, target)
      await state.change((current) => stage(current, target, describeNow()))
      onStep('staged', target)
    } catch (error) {
      const reason = (error as Error).message
      onStep('failed', { ...target, reason })
      const result = { from: own.agentVersion, to: target.version, reason }
      // A disk that refuses this note has most likely caused the failure; the next start cleans up.
      await state.change((current) => failDownload(current, result)).catch(() => undefined)
    }
  }

  async #obtain({ sizeBytes, sha256 }: Manifest, target: Release): Promise<void> {
    const { files, route } = this.#options
    if (!files.isUsable(target)) {
      await fetchFile(this.#placeOf(releasePlaces.bundle(sha256)), files.partPath(target), sizeBytes, route)
      if (!(await files.adopt(target))) throw new Error('the downloaded file is not the one that was signed')
    }
    await selfTest(files.bundlePath(target), target.version)
  }

  #placeOf(path: string): URL {
    return new URL(`${releasePlaces.root}/${path}`, this.#options.source)
  }
}

/** The new bundle must at least start on this device, and be what it says. */
async function selfTest(path: string, version: string): Promise<void> {
  const { stdout } = await runFile(process.execPath, [path, 'version'], { timeout: selfTestTimeoutMs, env: {} })
  if (stdout.split(' ')[1] !== version) throw new Error('the new version does not start')
}

function explain(error: unknown): UpdateRefusal {
  if (error instanceof ReleaseError) return refuseUpdate('update_untrusted', error.message)
  if (error instanceof HttpError && error.statusCode === 404) return refuseUpdate('no_update_available')
  return refuseUpdate('update_check_failed', (error as Error).message)
}
