import { type AgentSideSession, Heartbeats, type Hello } from '@tunnel/session-protocol'
import type { Link } from './dial.ts'
import { type Attempt, describeFailure, type HeldSessionListener, holdSession } from './held-session.ts'
import { planRetry } from './reconnect-policy.ts'
import { nextState, type SessionEvent, type SessionProblem, type SessionState } from './session-state.ts'

/** What the connector needs of its surroundings. */
export interface ConnectorOptions {
  readonly dial: (signal: AbortSignal) => Promise<Link>
  readonly buildHello: () => Promise<Hello>
  /** In [0, 1). */
  readonly random: () => number
}

/** What happens to the session, told to whoever lives from it. All calls are synchronous. */
export interface ConnectorListener extends Omit<HeldSessionListener, 'onStart'> {
  onRetryPlanned(problem: SessionProblem, delayMs: number): void
}

/** Holds one session to the service, and gets a new one whenever it is lost, for ever. */
export class SessionConnector implements AsyncDisposable {
  readonly #options: ConnectorOptions
  readonly #listener: ConnectorListener
  readonly #heartbeats = new Heartbeats()
  readonly #stopping = new AbortController()
  #state: SessionState = { kind: 'connecting' }
  #lastProblem: SessionProblem | null = null
  #link: Link | null = null
  #session: AgentSideSession | null = null
  #failures = 0
  #isUnderstood = false
  #endWait: (() => void) | null = null
  #running: Promise<void> = Promise.resolve()

  constructor(options: ConnectorOptions, listener: ConnectorListener) {
    this.#options = options
    this.#listener = listener
  }

  get state(): SessionState {
    return this.#state
  }

  get lastProblem(): SessionProblem | null {
    return this.#lastProblem
  }

  /** What a new version shows of its session while it is tried. */
  describeTrial(): { onlineMs: number | null; isUnderstood: boolean } {
    const onlineMs = this.#state.kind === 'online' ? performance.now() - this.#state.sinceMs : null
    return { onlineMs, isUnderstood: this.#isUnderstood }
  }

  get roundTripMs(): number | null {
    return this.#session?.roundTripMs ?? null
  }

  get streamCount(): number {
    return this.#session?.streamCount ?? 0
  }

  start(): void {
    this.#running = this.#run()
  }

  /** The surroundings have changed: a wait makes no sense any more. */
  retryNow(): void {
    this.#endWait?.()
  }

  /** The device has these addresses now: a session from one that is gone cannot work any more. */
  onNetworkChange(addresses: ReadonlySet<string>): void {
    const isLost = this.#link !== null && !addresses.has(this.#link.localAddress)
    if (isLost) this.#link?.transport.destroy()
    this.retryNow()
  }

  /** Says goodbye; running streams may finish within `drainMs`. */
  async stop(drainMs: number): Promise<void> {
    this.#stopping.abort()
    this.#endWait?.()
    const session = this.#session
    session?.leave(0, 'the agent stops')
    const deadline = setTimeout(() => session?.close(goodbye), drainMs)
    await this.#running
    clearTimeout(deadline)
    this.#move({ kind: 'stopped' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop(0)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const { ending, problem } = await this.#attempt(signal)
      this.#lastProblem = problem
      if (ending.kind === 'refused') this.#isUnderstood = true
      if (signal.aborted) return
      const plan = planRetry(ending, this.#failures, this.#options.random())
      this.#failures = plan.failures
      this.#move({ kind: 'ended', retryAtMs: performance.now() + plan.delayMs })
      this.#listener.onRetryPlanned(problem, plan.delayMs)
      await this.#wait(plan.delayMs)
      this.#move({ kind: 'retried' })
    }
  }

  async #attempt(signal: AbortSignal): Promise<Attempt> {
    try {
      const hello = await this.#options.buildHello()
      this.#link = await this.#options.dial(signal)
      this.#move({ kind: 'dialled' })
      return await this.#hold(this.#link, hello)
    } catch (error) {
      return describeFailure(error)
    } finally {
      this.#link = null
      this.#session = null
    }
  }

  #hold({ transport }: Link, hello: Hello): Promise<Attempt> {
    return holdSession(transport, hello, this.#heartbeats, {
      ...this.#listener,
      onStart: (session) => {
        this.#session = session
        if (this.#stopping.signal.aborted) session.close(goodbye)
      },
      onOnline: (session, welcome) => {
        this.#move({ kind: 'welcomed', sessionId: welcome.sessionId, region: welcome.region, atMs: performance.now() })
        this.#listener.onOnline(session, welcome)
      },
    })
  }

  #move(event: SessionEvent): void {
    this.#state = nextState(this.#state, event)
  }

  #wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delayMs)
      this.#endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

const goodbye = { code: 'shutdown', retryAfterMs: 0, message: 'the agent stops' } as const
