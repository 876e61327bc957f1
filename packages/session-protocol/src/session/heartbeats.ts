/** What the watch over silence sees of a session. */
export interface Heartbeat {
  readonly receivedBytes: number
  /** Silence after which to ask, and after which the peer counts as dead. */
  readonly askAfterMs: number
  readonly deadAfterMs: number
  ask(): void
  onDead(): void
}

interface Watched {
  seenBytes: number
  heardAtMs: number
  askedAtMs: number
}

const TICK_MS = 250

/**
 * Watches the silence of all sessions of a process with one timer. Any received byte is life, so traffic costs nothing here,
 * and a session that speaks is never asked. Time in which this process did not run is not silence of the peers.
 */
export class Heartbeats {
  readonly #nowMs: () => number
  readonly #sessions = new Map<Heartbeat, Watched>()
  #timer: NodeJS.Timeout | null = null
  #tickedAtMs = 0
  #watchedMs = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  add(session: Heartbeat): void {
    const { receivedBytes } = session
    this.#sessions.set(session, { seenBytes: receivedBytes, heardAtMs: this.#watchedMs, askedAtMs: this.#watchedMs })
    if (this.#timer) return
    this.#tickedAtMs = this.#nowMs()
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
  }

  remove(session: Heartbeat): void {
    this.#sessions.delete(session)
    if (this.#sessions.size > 0 || !this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  #tick(): void {
    const nowMs = this.#nowMs()
    this.#watchedMs += Math.min(nowMs - this.#tickedAtMs, 2 * TICK_MS)
    this.#tickedAtMs = nowMs
    for (const [session, watched] of this.#sessions) this.#check(session, watched)
  }

  #check(session: Heartbeat, watched: Watched): void {
    const { receivedBytes } = session
    if (receivedBytes !== watched.seenBytes) {
      watched.seenBytes = receivedBytes
      watched.heardAtMs = this.#watchedMs
      return
    }
    const silenceMs = this.#watchedMs - watched.heardAtMs
    if (silenceMs >= session.deadAfterMs - TICK_MS) return session.onDead()
    if (silenceMs < session.askAfterMs || this.#watchedMs - watched.askedAtMs < session.askAfterMs) return
    watched.askedAtMs = this.#watchedMs
    session.ask()
  }
}
