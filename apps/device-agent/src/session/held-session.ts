import {
  type AgentSideSession,
  defaultLimits,
  type Heartbeats,
  type Hello,
  type MuxStream,
  type Refused,
  type ServiceMessage,
  type SessionEnding as ProtocolEnding,
  startAgentSession,
  type Transport,
  type Welcome,
} from '@tunnel/session-protocol'
import { ConnectError } from './connect-error.ts'
import type { SessionEnding } from './reconnect-policy.ts'
import type { SessionProblem } from './session-state.ts'

/** What happens in one session. All calls are synchronous, but for `onRefused`. */
export interface HeldSessionListener {
  /** The hello is under way; the session can be closed from now on. */
  onStart(session: AgentSideSession): void
  onOnline(session: AgentSideSession, welcome: Welcome): void
  /** Only after `onOnline`. */
  onOffline(problem: SessionProblem): void
  onMessage(message: ServiceMessage): void
  onStream(stream: MuxStream): void
  onRefused(refused: Refused): Promise<void>
}

/** How one try to hold a session ended, and why in words. */
export interface Attempt {
  readonly ending: SessionEnding
  readonly problem: SessionProblem
}

const welcomeTimeoutMs = 10_000
const tooLate = { code: 'handshake_timeout', retryAfterMs: 0, message: 'no welcome in time' } as const
const understood = { code: 'shutdown', retryAfterMs: 0, message: 'refused' } as const

/** Says hello on an open transport; settles when the session is over, never rejects. */
export function holdSession(
  transport: Transport,
  hello: Hello,
  heartbeats: Heartbeats,
  listener: HeldSessionListener,
): Promise<Attempt> {
  return new Promise((resolve) => {
    let refused: Refused | null = null
    let onlineAtMs: number | null = null
    const session = startAgentSession(
      transport,
      {
        onControl: (message) => {
          if (onlineAtMs !== null) return listener.onMessage(message)
          if (message.type === 'welcome') {
            onlineAtMs = performance.now()
            greet(session, message)
          } else if (message.type === 'refused') {
            refused = message
            session.close(understood)
          }
        },
        onStream: (stream) => listener.onStream(stream),
        onGoAway: () => undefined,
        onClose: (ending) => {
          clearTimeout(greetingLimit)
          const attempt = describeEnding(ending, onlineAtMs, refused)
          if (onlineAtMs !== null) listener.onOffline(attempt.problem)
          resolve(refused === null ? attempt : listener.onRefused(refused).then(() => attempt))
        },
      },
      { limits: defaultLimits, heartbeats, nowMs: () => performance.now() },
    )
    const greetingLimit = setTimeout(() => session.close(tooLate), welcomeTimeoutMs)
    listener.onStart(session)
    session.send(hello)

    function greet(greeted: AgentSideSession, welcome: Welcome): void {
      clearTimeout(greetingLimit)
      greeted.agree({ maxStreams: welcome.limits.maxStreams, heartbeat: welcome.heartbeat })
      listener.onOnline(greeted, welcome)
    }
  })
}

/** A try that never got as far as a session. */
export function describeFailure(error: unknown): Attempt {
  if (!(error instanceof ConnectError)) {
    const { message } = error as Error
    return { ending: { kind: 'unreachable', retryAfterMs: null }, problem: { reason: 'internal_error', message } }
  }
  const { problem: reason, message, retryAfterMs } = error
  const problem = { reason, message }
  if (reason === 'clock_suspect') return { ending: { kind: 'clock_suspect' }, problem }
  if (reason === 'connection_refused') return { ending: { kind: 'not_listening' }, problem }
  return { ending: { kind: 'unreachable', retryAfterMs }, problem }
}

function describeEnding(ending: ProtocolEnding, onlineAtMs: number | null, refused: Refused | null): Attempt {
  if (refused !== null) return describeRefusal(refused)
  const problem = { reason: ending.code ?? 'connection_lost', message: ending.message }
  const retryAfterMs = ending.retryAfterMs || null
  if (onlineAtMs === null) return { ending: { kind: 'unreachable', retryAfterMs }, problem }
  return { ending: { kind: 'lost', livedMs: performance.now() - onlineAtMs, retryAfterMs }, problem }
}

function describeRefusal({ error, retryAfterMs }: Refused): Attempt {
  const { reason, message } = error
  // The identity is forgotten then, so the next hello is another one.
  const isRetryable = error.retryable || reason === 'duplicate_identity'
  return { ending: { kind: 'refused', isRetryable, retryAfterMs }, problem: { reason, message } }
}
