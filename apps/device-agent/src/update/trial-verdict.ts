/** What a new version shows of itself while it is tried. */
export interface TrialFacts {
  readonly elapsedMs: number
  readonly isApiHealthy: boolean
  readonly tunnelCount: number
  readonly before: { readonly wasOnline: boolean; readonly tunnelCount: number }
  /** How long the session has been online; null while it is not. */
  readonly onlineMs: number | null
  /** The service has answered a hello, if only with a refusal. */
  readonly isUnderstood: boolean
  /** How long the service has been reachable by other means while there was no session; null when it is not. */
  readonly reachableMs: number | null
}

export type TrialVerdict =
  | { readonly kind: 'wait' }
  | { readonly kind: 'commit' }
  | { readonly kind: 'roll_back'; readonly reason: string }

export interface TrialPace {
  /** How long something must be well before it counts. */
  readonly stableMs: number
  /** How long a reachable service without a session is borne. */
  readonly unreachedMs: number
}

/**
 * Whether a new version stays. A lost network alone never decides: only a service that answers others and not this
 * version, lost tunnels or a dead API speak against it.
 */
export function judgeTrial(facts: TrialFacts, { stableMs, unreachedMs }: TrialPace): TrialVerdict {
  const { elapsedMs, isApiHealthy, tunnelCount, before, onlineMs, isUnderstood, reachableMs } = facts
  if (tunnelCount < before.tunnelCount) return { kind: 'roll_back', reason: 'tunnels were lost' }
  if (!isApiHealthy) {
    return elapsedMs < stableMs ? { kind: 'wait' } : { kind: 'roll_back', reason: 'the local API did not answer' }
  }
  if (onlineMs !== null && onlineMs >= stableMs) return { kind: 'commit' }
  // A revoked token or a version that is too old is no fault that the version before would not have.
  if (elapsedMs >= stableMs && (!before.wasOnline || isUnderstood)) return { kind: 'commit' }
  if (onlineMs === null && reachableMs !== null && reachableMs >= unreachedMs) {
    return { kind: 'roll_back', reason: 'the service was reachable, but no session came up' }
  }
  return { kind: 'wait' }
}
