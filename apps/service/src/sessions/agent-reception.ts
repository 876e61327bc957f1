import { defaultLimits, Heartbeats, type SessionEnding, type SessionOptions } from '@tunnel/session-protocol'
import { AgentConnection } from './agent-connection.ts'
import type { AgentSession } from './agent-session.ts'
import type { Greeter } from './greeter.ts'
import type { SessionsLimits } from './limits.ts'
import type { OnlineSessions } from './online-sessions.ts'
import type { SessionJournal } from './session-journal.ts'
import type { AnonymousPeer } from './session-listener.ts'

export interface AgentReceptionDeps {
  readonly greeter: Greeter
  readonly online: OnlineSessions
  readonly journal: SessionJournal
  readonly limits: SessionsLimits
  readonly nowMs: () => number
}

/** Starts the protocol on new transports and sees sessions off when they end. */
export class AgentReception {
  readonly #deps: AgentReceptionDeps
  readonly #sessionOptions: SessionOptions

  constructor(deps: AgentReceptionDeps) {
    this.#deps = deps
    this.#sessionOptions = { limits: defaultLimits, heartbeats: new Heartbeats(), nowMs: deps.nowMs }
  }

  receive({ transport, ip, onlyAccountId, onKnown }: AnonymousPeer): AgentConnection {
    const { greeter, limits } = this.#deps
    return new AgentConnection(transport, {
      sessionOptions: this.#sessionOptions,
      helloWithinMs: limits.helloWithinMs,
      check: (hello) => greeter.check(hello, { ip, onlyAccountId }),
      onAnswered: onKnown,
      onClosed: (agent, ending) => this.#onClosed(agent, ip, ending),
    })
  }

  #onClosed(agent: AgentSession | null, ip: string, ending: SessionEnding): void {
    if (agent) {
      this.#deps.online.remove(agent)
      agent.onClosed()
    }
    this.#deps.journal.onEnded(agent, ip, ending)
  }
}
