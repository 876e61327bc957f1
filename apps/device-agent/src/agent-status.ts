import type { AgentSession } from './agent-session.ts'
import type { AgentStore } from './agent-store.ts'
import type { Config } from './config.ts'
import type { BindState } from './session/bindings.ts'
import type { Identity } from './session/identity.ts'
import { buildFacts } from './build-facts.ts'
import type { UpdateState } from './update/update-state.ts'

export interface AgentFacts {
  readonly config: Config
  readonly identity: Identity
  readonly session: AgentSession
  readonly store: AgentStore
  readonly update: UpdateState
}

/** The JSON of `/status`: what a person needs to see why something does not work. */
export function describeAgent({ config, identity, session, store, update }: AgentFacts): object {
  return {
    agent_version: buildFacts.version,
    platform: `${process.platform}-${process.arch}`,
    node_version: process.version,
    uptime_seconds: Math.round(process.uptime()),
    install_id: identity.installId,
    connect_url: config.connectUrl,
    session: describeSession(session),
    tunnels: store.records.map(({ id, url }) => ({ url, ...describeBind(session.bindings.stateOf(id)) })),
    store: { problem: store.problem },
    update: { state: update.phase.kind, last: update.last, quarantined: update.quarantined },
  }
}

function describeSession({ connector }: AgentSession): object {
  const { state, lastProblem, roundTripMs } = connector
  return {
    state: state.kind,
    session_id: state.kind === 'online' ? state.sessionId : null,
    region: state.kind === 'online' ? state.region : null,
    online_seconds: state.kind === 'online' ? Math.round((performance.now() - state.sinceMs) / 1000) : null,
    round_trip_ms: roundTripMs,
    last_error: lastProblem,
    next_retry_seconds:
      state.kind === 'waiting' ? Math.max(0, Math.round((state.untilMs - performance.now()) / 1000)) : null,
    is_clock_suspect: state.kind !== 'online' && lastProblem?.reason === 'clock_suspect',
  }
}

function describeBind(state: BindState): object {
  if (state.kind !== 'refused') return { state: state.kind, error: null }
  const { reason, message, code } = state.error
  return { state: state.kind, error: { reason, message, error_code: code === null ? null : `ERR_SERVICE_${code}` } }
}
