/** A bundle in the releases directory. */
export interface Release {
  readonly version: string
  readonly sha256: string
}

/** How the last update ended, as the service is told with the next hello. */
export interface UpdateResult {
  readonly from: string
  readonly to: string
  readonly result: 'updated' | 'rolled_back' | 'failed'
  readonly reason: string
}

/** Where the agent is with an update. Each phase is on the disk before what it names is done. */
type UpdatePhase =
  | { readonly kind: 'idle' }
  | { readonly kind: 'downloading'; readonly target: Release }
  /** Downloaded and verified; the next start tries it. */
  | { readonly kind: 'staged'; readonly target: Release; readonly before: BeforeUpdate }
  | {
      readonly kind: 'trial'
      readonly target: Release
      readonly before: BeforeUpdate
      /** Starts that may still fail, and power cuts that may still happen, before it is given up. */
      readonly bootsLeft: number
      readonly rebootsLeft: number
      readonly bootId: string
    }

/** How things were with the version that is to be replaced: the new one must do as well. */
export interface BeforeUpdate {
  readonly version: string
  readonly wasOnline: boolean
  readonly tunnelCount: number
}

export interface UpdateState {
  readonly schema: 1
  readonly phase: UpdatePhase
  /** The release in use; null is the bundle that was installed. */
  readonly current: Release | null
  /** The highest version that has proved itself: nothing older is taken without the signer's word. */
  readonly floor: string | null
  readonly quarantined: readonly string[]
  readonly revokedKeyIds: readonly string[]
  readonly last: UpdateResult | null
}

export const initialUpdateState: UpdateState = {
  schema: 1,
  phase: { kind: 'idle' },
  current: null,
  floor: null,
  quarantined: [],
  revokedKeyIds: [],
  last: null,
}

/** @throws Error when it is not an update state */
export function parseUpdateState(json: unknown): UpdateState {
  const state = { ...initialUpdateState, ...(json as Partial<UpdateState>) }
  const kinds: readonly string[] = ['idle', 'downloading', 'staged', 'trial']
  const isSound =
    state.schema === 1 &&
    kinds.includes(state.phase.kind) &&
    (state.phase.kind === 'idle' || isRelease(state.phase.target)) &&
    (state.current === null || isRelease(state.current)) &&
    [state.quarantined, state.revokedKeyIds].every((list) => Array.isArray(list))
  if (!isSound) throw new Error('not an update state')
  return state
}

function isRelease({ version, sha256 }: Partial<Release>): boolean {
  return typeof version === 'string' && typeof sha256 === 'string'
}
