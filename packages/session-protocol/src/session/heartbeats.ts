/** What the watch over silence sees of a session. */
export interface Heartbeat {
  /** When bytes of the peer came last, in the time of `Heartbeats.watchedMs`. */
  readonly heardAtMs: number
  /** Silence after which to ask, and after which the peer counts as dead. */
  readonly askAfterMs: number
  readonly deadAfterMs: number
  ask(): void
  onDead(): void
}

const TICK_MS = 250

/**
 * Watches the silence of all sessions of a process with one timer, which looks at a session only when its silence may have
 * become too long: a session that speaks is seen once in its interval, and never asked.
 */
export class Heartbeats {
  readonly #nowMs: () => number
  /** With when to look at it: until then there is nothing to be done, whatever it sends. Whole numbers, which take no memory. */
  readonly #sessions = new Map<Heartbeat, number>()
  #timer: NodeJS.Timeout | null = null
  #tickedAtMs = 0
  #watchedMs = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Advances with every tick. Time in which this process did not run is left out: it is not silence of the peers. */
  get watchedMs(): number {
    return this.#watchedMs
  }

  /** To be called again when the terms of a session have changed. */
  add(session: Heartbeat): void {
    this.#sessions.set(session, 0)
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
    for (const [session, lookAtMs] of this.#sessions) if (lookAtMs <= this.#watchedMs) this.#look(session)
  }

  /** Bytes count from the tick before they came, so a silence is up to one tick shorter than it seems. */
  #look(session: Heartbeat): void {
    const nowMs = this.#watchedMs
    const { heardAtMs, askAfterMs, deadAfterMs } = session
    const askAtMs = heardAtMs + askAfterMs + TICK_MS
    const deadAtMs = heardAtMs + deadAfterMs
    if (nowMs >= deadAtMs) return session.onDead()
    const mustAsk = nowMs >= askAtMs
    this.#sessions.set(session, Math.floor(Math.min(mustAsk ? nowMs + askAfterMs : askAtMs, deadAtMs)))
    if (mustAsk) session.ask()
  }
}
