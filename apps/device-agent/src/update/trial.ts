import { isAnswering, type HttpRoute } from '../network/http-client.ts'
import { judgeTrial, type TrialPace } from './trial-verdict.ts'
import { commit, rollBack } from './transitions.ts'
import type { ReleaseFiles } from './release-files.ts'
import type { UpdateStateKeeper } from './update-state-keeper.ts'

export interface TrialOptions {
  readonly ownVersion: string
  readonly state: UpdateStateKeeper
  readonly files: ReleaseFiles
  readonly pace: TrialPace
  readonly isApiHealthy: () => Promise<boolean>
  readonly tunnelCount: () => number
  readonly session: () => { readonly onlineMs: number | null; readonly isUnderstood: boolean }
  /** Something of the service that needs no session. */
  readonly probe: { readonly url: URL; readonly route: HttpRoute }
  /** The service answers again: the new version shall show what it can without waiting for its turn. */
  readonly onReachable: () => void
  readonly onEnd: (verdict: 'committed' | 'rolled_back', reason: string) => void
}

const looksPerStablePeriod = 12

/** Watches over a new version until it is kept or given up. Does nothing when none is being tried. */
export class Trial implements AsyncDisposable {
  readonly #options: TrialOptions
  readonly #startedMs = performance.now()
  #timer: NodeJS.Timeout | undefined
  #reachableSinceMs: number | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(options: TrialOptions) {
    this.#options = options
  }

  start(): void {
    const { state, pace, ownVersion } = this.#options
    const { phase } = state.current
    if (phase.kind !== 'trial' || phase.target.version !== ownVersion) return
    this.#timer = setInterval(() => {
      this.#looking = this.#looking.then(() => this.#look())
    }, pace.stableMs / looksPerStablePeriod)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { state, pace, isApiHealthy, tunnelCount, session } = this.#options
    const { phase } = state.current
    if (phase.kind !== 'trial') return
    const { onlineMs, isUnderstood } = session()
    const verdict = judgeTrial(
      {
        elapsedMs: performance.now() - this.#startedMs,
        isApiHealthy: await isApiHealthy().catch(() => false),
        tunnelCount: tunnelCount(),
        before: phase.before,
        onlineMs,
        isUnderstood,
        reachableMs: onlineMs === null ? await this.#probe() : null,
      },
      pace,
    )
    if (verdict.kind === 'commit') await this.#keep()
    if (verdict.kind === 'roll_back') await this.#giveUp(verdict.reason)
  }

  async #probe(): Promise<number | null> {
    const { probe, onReachable } = this.#options
    const { url, route } = probe
    if (!(await isAnswering(url, route))) this.#reachableSinceMs = null
    else if (this.#reachableSinceMs === null) {
      this.#reachableSinceMs = performance.now()
      onReachable()
    }
    return this.#reachableSinceMs === null ? null : performance.now() - this.#reachableSinceMs
  }

  async #keep(): Promise<void> {
    const { state, files, onEnd } = this.#options
    clearInterval(this.#timer)
    const { current: before } = state.current
    await state.change(commit)
    const { current } = state.current
    await files.keepOnly([before, current].filter((release) => release !== null))
    onEnd('committed', '')
  }

  async #giveUp(reason: string): Promise<void> {
    const { state, onEnd } = this.#options
    clearInterval(this.#timer)
    await state.change((current) => rollBack(current, reason))
    onEnd('rolled_back', reason)
  }
}
