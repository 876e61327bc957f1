import { ServiceError } from '@tunnel/models'
import type { AgentSession } from './agent-session.ts'

interface Occupant {
  readonly session: AgentSession
  /** Devices that were displaced from this identity, and until when that is remembered. */
  readonly displaced: ReadonlyMap<string, number>
}

export interface OnlineSessionsDeps {
  readonly sessionsMax: number
  readonly displacementMemoryMs: number
  /** Monotonic. */
  readonly nowMs: () => number
  readonly onDisplaced: (older: AgentSession, newer: AgentSession) => void
}

/** The sessions that are online: one for each agent identity, and the newest wins. */
export class OnlineSessions {
  readonly #deps: OnlineSessionsDeps
  readonly #byId = new Map<string, AgentSession>()
  readonly #byIdentity = new Map<string, Occupant>()

  constructor(deps: OnlineSessionsDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): AgentSession | undefined {
    return this.#byId.get(id)
  }

  all(): AgentSession[] {
    return [...this.#byId.values()]
  }

  /**
   * Takes a session in. An older one of the same identity is closed at once: it is nearly always the ghost of a lost connection.
   * Throws `duplicate_identity` when a displaced device comes back for it, which only clones of one disk do, and `sessions_full`.
   */
  admit(session: AgentSession): void {
    const key = identityOf(session)
    const occupant = this.#byIdentity.get(key)
    const displaced = occupant ? this.#displacedBy(occupant, session) : noDevices
    if (!occupant && this.#byId.size >= this.#deps.sessionsMax) throw new ServiceError('sessions_full')
    if (occupant) this.#displace(occupant.session, session)
    this.#byId.set(session.facts.id, session)
    this.#byIdentity.set(key, { session, displaced })
  }

  /** Removes this very session; a successor of the same identity stays. */
  remove(session: AgentSession): void {
    this.#byId.delete(session.facts.id)
    const key = identityOf(session)
    if (this.#byIdentity.get(key)?.session === session) this.#byIdentity.delete(key)
  }

  #displacedBy({ session: older, displaced }: Occupant, newer: AgentSession): ReadonlyMap<string, number> {
    const nowMs = this.#deps.nowMs()
    const remembered = new Map([...displaced].filter(([, untilMs]) => untilMs > nowMs))
    const { bootId } = newer.facts.hello
    const olderBootId = older.facts.hello.bootId
    if (bootId !== olderBootId && remembered.has(bootId)) throw new ServiceError('duplicate_identity')
    if (bootId !== olderBootId) remembered.set(olderBootId, nowMs + this.#deps.displacementMemoryMs)
    return remembered
  }

  #displace(older: AgentSession, newer: AgentSession): void {
    this.#deps.onDisplaced(older, newer)
    older.streams.close({ code: 'displaced', retryAfterMs: 1000, message: 'a newer session of this agent took over' })
  }
}

const noDevices: ReadonlyMap<string, number> = new Map()

function identityOf({ facts }: AgentSession): string {
  return `${facts.accountId} ${facts.clientId}`
}
