import type { TrialPace } from './update/trial-verdict.ts'

/** What the build puts into a bundle; a source tree has none of it. */
declare const BUILD_FACTS: BuildFacts | undefined

export interface BuildFacts {
  readonly version: string
  /** The root keys that releases must lead up to. Without any, nothing is ever taken for an update. */
  readonly releaseRoots: readonly string[]
  readonly trial: TrialPace & {
    /** How long a new version may take to be ready, and to stand still, before it is killed. */
    readonly startLimitMs: number
  }
}

export const buildFacts: BuildFacts =
  typeof BUILD_FACTS === 'undefined'
    ? { version: '0.1.0', releaseRoots: [], trial: { stableMs: 60_000, unreachedMs: 600_000, startLimitMs: 180_000 } }
    : BUILD_FACTS
