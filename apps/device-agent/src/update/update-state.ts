import { parseVersion } from '@tunnel/agent-release'

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

/** Everything is looked at: the launcher has nobody to start it again when it trips over a damaged file. @throws Error when it is not an update state */
export function parseUpdateState(json: unknown): UpdateState {
  const state = { ...initialUpdateState, ...(json as Partial<UpdateState>) }
  const isSound =
    state.schema === 1 &&
    isPhase(state.phase) &&
    (state.current === null || isRelease(state.current)) &&
    (state.floor === null || isVersion(state.floor)) &&
    [state.quarantined, state.revokedKeyIds].every(isTextList) &&
    (state.last === null || isResult(state.last))
  if (!isSound) throw new Error('not an update state')
  return state
}

function isPhase(phase: UpdatePhase): boolean {
  switch (phase.kind) {
    case 'idle':
      return true
    case 'downloading':
      return isRelease(phase.target)
    case 'staged':
      return isRelease(phase.target) && isBefore(phase.before)
    case 'trial':
      return (
        isRelease(phase.target) &&
        isBefore(phase.before) &&
        Number.isInteger(phase.bootsLeft) &&
        Number.isInteger(phase.rebootsLeft) &&
        typeof phase.bootId === 'string'
      )
    default:
      return false
  }
}

/** Both become names of files. */
function isRelease(release: Partial<Release> | undefined): boolean {
  return isVersion(release?.version) && /^[0-9a-f]{64}$/.test(release?.sha256 ?? '')
}

function isBefore(before: Partial<BeforeUpdate> | undefined): boolean {
  return isVersion(before?.version) && typeof before?.wasOnline === 'boolean' && Number.isInteger(before.tunnelCount)
}

function isResult({ from, to, result, reason }: Partial<UpdateResult>): boolean {
  return [from, to, result, reason].every((text) => typeof text === 'string')
}

function isVersion(text: unknown): boolean {
  return typeof text === 'string' && parseVersion(text) !== null
}

function isTextList(list: unknown): boolean {
  return Array.isArray(list) && list.every((text) => typeof text === 'string')
}
