import type {
  AgentMessage,
  GoAway,
  GoAwayCode,
  Hello,
  MuxStream,
  ServiceSideSession,
  SessionEnding,
  SessionHandlers,
  SessionOptions,
  Transport,
} from '@tunnel/session-protocol'
import { startServiceSession } from '@tunnel/session-protocol'
import type { AgentSession } from './agent-session.ts'

export interface AgentConnectionDeps {
  readonly sessionOptions: SessionOptions
  readonly helloWithinMs: number
  /** Checks a hello. Never rejects. */
  readonly check: (hello: Hello) => Promise<Answer>
  /** The hello is answered, or the connection is gone: it is not anonymous any more. */
  readonly onAnswered: () => void
  readonly onClosed: (agent: AgentSession | null, ending: SessionEnding) => void
}

/** Answers the agent and, unless it is refused, takes it in. At once, so that nothing can come between. */
export type Answer = (session: ServiceSideSession) => AgentSession | null

type Phase =
  | { readonly kind: 'waiting'; readonly deadline: NodeJS.Timeout }
  | { readonly kind: 'checking' }
  | { readonly kind: 'online'; readonly agent: AgentSession }
  | { readonly kind: 'over' }

/** One connection of an agent: waits for its hello, has it checked, then hands everything to the session. */
export class AgentConnection implements SessionHandlers<AgentMessage> {
  readonly #deps: AgentConnectionDeps
  readonly #session: ServiceSideSession
  #phase: Phase

  constructor(transport: Transport, deps: AgentConnectionDeps) {
    this.#deps = deps
    this.#phase = { kind: 'waiting', deadline: setTimeout(() => this.#onLate(), deps.helloWithinMs) }
    this.#session = startServiceSession(transport, this, deps.sessionOptions)
  }

  onControl(message: AgentMessage): void {
    const phase = this.#phase
    switch (phase.kind) {
      case 'waiting':
        if (message.type !== 'hello') return this.#breach('the first message is not a hello')
        clearTimeout(phase.deadline)
        return void this.#greet(message)
      case 'checking':
        return this.#breach('a message before the welcome')
      case 'online':
        return phase.agent.onControl(message)
      case 'over':
    }
  }

  /** Agents open no streams in this version. */
  onStream(stream: MuxStream): void {
    stream.reset('refused', 'the service takes no streams')
  }

  onGoAway(_goAway: GoAway): void {
    // Nothing to do: the session opens no more streams, and ends when the agent closes it.
  }

  onClose(ending: SessionEnding): void {
    const phase = this.#phase
    if (phase.kind === 'waiting') clearTimeout(phase.deadline)
    if (phase.kind === 'waiting' || phase.kind === 'checking') this.#deps.onAnswered()
    this.#phase = { kind: 'over' }
    this.#deps.onClosed(phase.kind === 'online' ? phase.agent : null, ending)
  }

  /** Closes the connection of a peer that is not welcome any longer. */
  dismiss(code: GoAwayCode, message: string): void {
    this.#session.close({ code, retryAfterMs: 0, message })
  }

  async #greet(hello: Hello): Promise<void> {
    this.#phase = { kind: 'checking' }
    const answer = await this.#deps.check(hello)
    if (this.#session.isClosed) return
    this.#deps.onAnswered()
    const agent = answer(this.#session)
    this.#phase = agent ? { kind: 'online', agent } : { kind: 'over' }
  }

  #onLate(): void {
    this.dismiss('handshake_timeout', 'no hello in time')
  }

  #breach(message: string): void {
    this.dismiss('protocol_error', message)
  }
}
