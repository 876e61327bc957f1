import { compareVersions } from '@tunnel/agent-release'
import type { BeforeUpdate, Release, UpdateResult, UpdateState } from './update-state.ts'

const bootsMax = 3
const rebootsMax = 10
const rememberedMax = 32

export function beginDownload(state: UpdateState, target: Release, revokes: readonly string[]): UpdateState {
  const revokedKeyIds = lastOf([...new Set([...state.revokedKeyIds, ...revokes])])
  return { ...state, phase: { kind: 'downloading', target }, revokedKeyIds }
}

export function stage(state: UpdateState, target: Release, before: BeforeUpdate): UpdateState {
  return { ...state, phase: { kind: 'staged', target, before } }
}

export function failDownload(state: UpdateState, result: Omit<UpdateResult, 'result'>): UpdateState {
  return { ...state, phase: { kind: 'idle' }, last: { ...result, result: 'failed' } }
}

/** The new version has proved itself. */
export function commit(state: UpdateState): UpdateState {
  if (state.phase.kind !== 'trial') return state
  const { target, before } = state.phase
  const floor = state.floor === null || compareVersions(target.version, state.floor) > 0 ? target.version : state.floor
  const last: UpdateResult = { from: before.version, to: target.version, result: 'updated', reason: '' }
  return { ...state, phase: { kind: 'idle' }, current: target, floor, last }
}

/** Back to what was in use before; the new version is not offered again. */
export function rollBack(state: UpdateState, reason: string): UpdateState {
  if (state.phase.kind !== 'trial' && state.phase.kind !== 'staged') return state
  const { target, before } = state.phase
  const last: UpdateResult = { from: target.version, to: before.version, result: 'rolled_back', reason }
  const quarantined = lastOf([...state.quarantined.filter((version) => version !== target.version), target.version])
  return { ...state, phase: { kind: 'idle' }, quarantined, last }
}

export interface BootFacts {
  /** Changes when the device starts: a power cut is no fault of the program. */
  readonly bootId: string
  /** The version that was installed with this launcher. */
  readonly installedVersion: string
  /** Whether a release is on the disk, whole. */
  readonly isUsable: (release: Release) => boolean
}

export interface BootPlan {
  readonly state: UpdateState
  /** Null: the installed bundle. */
  readonly run: Release | null
}

/** What this start runs. The state must be on the disk before it runs. */
export function planBoot(state: UpdateState, facts: BootFacts): BootPlan {
  const { phase } = state
  if (phase.kind === 'staged') return planFirstTrial(state, facts)
  if (phase.kind === 'trial') return planNextTrial(state, facts)
  // A download does not survive its process; what was fetched is used again.
  return runCurrent({ ...state, phase: { kind: 'idle' } }, facts)
}

function planFirstTrial(state: UpdateState, facts: BootFacts): BootPlan {
  if (state.phase.kind !== 'staged') return runCurrent(state, facts)
  const { target, before } = state.phase
  if (!facts.isUsable(target)) return runCurrent(rollBack(state, 'the release file is damaged'), facts)
  const trial = { kind: 'trial', target, before, bootsLeft: bootsMax - 1, rebootsLeft: rebootsMax } as const
  return { state: { ...state, phase: { ...trial, bootId: facts.bootId } }, run: target }
}

function planNextTrial(state: UpdateState, facts: BootFacts): BootPlan {
  if (state.phase.kind !== 'trial') return runCurrent(state, facts)
  const { target, bootsLeft, rebootsLeft, bootId } = state.phase
  if (!facts.isUsable(target)) return runCurrent(rollBack(state, 'the release file is damaged'), facts)
  const isReboot = bootId !== facts.bootId
  if (isReboot ? rebootsLeft === 0 : bootsLeft === 0) {
    return runCurrent(
      rollBack(state, isReboot ? 'the device was started too often' : 'the new version did not stay up'),
      facts,
    )
  }
  const left = isReboot ? { rebootsLeft: rebootsLeft - 1, bootId: facts.bootId } : { bootsLeft: bootsLeft - 1 }
  return { state: { ...state, phase: { ...state.phase, ...left } }, run: target }
}

/** A newer package that was installed meanwhile wins, and so does a whole file over a damaged one. */
function runCurrent(state: UpdateState, { installedVersion, isUsable }: BootFacts): BootPlan {
  const { current } = state
  if (current === null) return { state, run: null }
  const isCurrentBest = compareVersions(current.version, installedVersion) > 0 && isUsable(current)
  return isCurrentBest ? { state, run: current } : { state: { ...state, current: null }, run: null }
}

function lastOf(list: readonly string[]): readonly string[] {
  return list.slice(-rememberedMax)
}
