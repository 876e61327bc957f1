/** Where the agent is with its session. Times are monotonic milliseconds. */
export type SessionState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'greeting' }
  | { readonly kind: 'online'; readonly sessionId: string; readonly region: string; readonly sinceMs: number }
  | { readonly kind: 'waiting'; readonly untilMs: number }
  | { readonly kind: 'stopped' }

/** What went wrong last, in words for a person. */
export interface SessionProblem {
  readonly reason: string
  readonly message: string
}

export type SessionEvent =
  | { readonly kind: 'dialled' }
  | { readonly kind: 'welcomed'; readonly sessionId: string; readonly region: string; readonly atMs: number }
  | { readonly kind: 'ended'; readonly retryAtMs: number }
  | { readonly kind: 'retried' }
  | { readonly kind: 'stopped' }

/** The next state. An event that does not fit changes nothing: it crossed another one on its way. */
export function nextState(state: SessionState, event: SessionEvent): SessionState {
  if (state.kind === 'stopped') return state
  switch (event.kind) {
    case 'dialled':
      return state.kind === 'connecting' ? { kind: 'greeting' } : state
    case 'welcomed':
      if (state.kind !== 'greeting') return state
      return { kind: 'online', sessionId: event.sessionId, region: event.region, sinceMs: event.atMs }
    case 'ended':
      return { kind: 'waiting', untilMs: event.retryAtMs }
    case 'retried':
      return state.kind === 'waiting' ? { kind: 'connecting' } : state
    case 'stopped':
      return { kind: 'stopped' }
  }
}
