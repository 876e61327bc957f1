import type { AgentMessage, Bind, BindResult, ServiceMessage, SessionError } from '@tunnel/session-protocol'
import { BindRefusedError } from '../tunnels/bind-refused-error.ts'
import { planBindRetry } from './bind-retry.ts'

/** A public address that shall lead to this device. */
export interface BindRequest {
  readonly id: string
  readonly protocol: Bind['protocol']
  /** Null: the service chooses, the same name each time for the same id. */
  readonly domain: string | null
  /** Instead of a domain: what tunnel groups find it by. */
  readonly labels: Bind['labels']
  readonly policy: unknown
  readonly forwardsTo: string
  readonly upstreamProtocol: Bind['upstreamProtocol']
}

/** Where one address is on its way to being public. */
export type BindState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'online'; readonly url: string | null; readonly tunnelId: string }
  | { readonly kind: 'refused'; readonly error: SessionError; readonly failures: number }

/** What is used of a session. */
export interface ControlChannel {
  send(message: AgentMessage): void
}

export interface BindingsOptions {
  /** What shall be public now. */
  readonly wanted: () => readonly BindRequest[]
  /** The service has given an address. */
  readonly onAddress: (id: string, url: string) => void
  /** An address is public no longer: whatever runs through it ends. */
  readonly onClosed: (id: string) => void
  readonly onRefused: (id: string, error: SessionError) => void
  /** In [0, 1). */
  readonly random: () => number
}

type Answer = (error: SessionError | null, url: string | null) => void

const answerTimeoutMs = 10_000
const noAnswer: SessionError = {
  code: null,
  reason: 'bind_timeout',
  message: 'the service did not answer',
  retryable: true,
}

/** Keeps what is wanted bound in whatever session there is. Each address has its own result and its own retries. */
export class Bindings {
  readonly #options: BindingsOptions
  readonly #states = new Map<string, BindState>()
  readonly #answers = new Map<string, Answer>()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  #channel: ControlChannel | null = null

  constructor(options: BindingsOptions) {
    this.#options = options
  }

  stateOf(id: string): BindState {
    return this.#states.get(id) ?? { kind: 'connecting' }
  }

  /** A session is up: everything wanted is bound, all at once. */
  attach(channel: ControlChannel): void {
    this.#channel = channel
    for (const request of this.#options.wanted()) void this.#tryBind(request)
  }

  /** The session is gone, and every address with it. */
  detach(): void {
    this.#channel = null
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#states.clear()
    for (const answer of this.#answers.values()) answer(null, null)
  }

  onMessage(message: ServiceMessage): void {
    if (message.type === 'bindResult') this.#answers.get(message.bindId)?.(message.error, this.#accept(message))
    if (message.type === 'unbindResult') this.#answers.get(message.bindId)?.(message.error, null)
    if (message.type === 'stopTunnel') {
      this.#options.onClosed(message.bindId)
      this.#refuse(message.bindId, message.error)
    }
  }

  /**
   * Asks for an address now. Null: there is no session to ask.
   * @throws BindRefusedError with the service's reason
   */
  async bind(request: BindRequest): Promise<string | null> {
    const { error, url } = await this.#ask(bindMessage(request))
    if (error === null) return url
    this.#states.delete(request.id)
    // Nobody knows whether it was done: what is not wanted then must not stay.
    if (error === noAnswer) this.#channel?.send({ type: 'unbind', bindId: request.id })
    throw new BindRefusedError(error)
  }

  /** Makes sure of an address that has become wanted while nobody was asked. */
  ensure(request: BindRequest): void {
    const isIdle = !this.#states.has(request.id) && !this.#answers.has(request.id)
    if (isIdle) void this.#tryBind(request)
  }

  /** Takes an address back; settles when the service has done so, or cannot any more. */
  async unbind(id: string): Promise<void> {
    this.#clearTimer(id)
    const isBound = this.#states.delete(id)
    if (isBound) await this.#ask({ type: 'unbind', bindId: id })
    this.#options.onClosed(id)
  }

  async #tryBind(request: BindRequest): Promise<void> {
    const { error, url } = await this.#ask(bindMessage(request))
    // It may have been deleted while the service was asked.
    if (this.#findWanted(request.id) === undefined) return this.unbind(request.id)
    if (error !== null) this.#refuse(request.id, error)
    else if (url !== null) this.#options.onAddress(request.id, url)
  }

  #ask(
    message: Extract<AgentMessage, { bindId: string }>,
  ): Promise<{ error: SessionError | null; url: string | null }> {
    const channel = this.#channel
    if (channel === null) return Promise.resolve({ error: null, url: null })
    return new Promise((resolve) => {
      const { bindId } = message
      const limit = setTimeout(() => answer(noAnswer, null), answerTimeoutMs)
      const answer: Answer = (error, url) => {
        clearTimeout(limit)
        if (this.#answers.get(bindId) === answer) this.#answers.delete(bindId)
        resolve({ error, url })
      }
      this.#answers.set(bindId, answer)
      channel.send(message)
    })
  }

  #accept({ bindId, tunnel }: BindResult): string | null {
    if (tunnel === null) return null
    this.#states.set(bindId, { kind: 'online', url: tunnel.url, tunnelId: tunnel.tunnelId })
    return tunnel.url
  }

  /** A refusal may end: a name becomes free, a rule is added. So it is asked again, ever less often. */
  #refuse(id: string, error: SessionError): void {
    const before = this.stateOf(id)
    const failures = before.kind === 'refused' ? before.failures + 1 : 0
    this.#states.set(id, { kind: 'refused', error, failures })
    this.#options.onRefused(id, error)
    this.#clearTimer(id)
    const retry = (): void => {
      const request = this.#findWanted(id)
      if (request !== undefined) void this.#tryBind(request)
    }
    this.#timers.set(id, setTimeout(retry, planBindRetry(failures, this.#options.random())))
  }

  #findWanted(id: string): BindRequest | undefined {
    return this.#options.wanted().find((request) => request.id === id)
  }

  #clearTimer(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.delete(id)
  }
}

function bindMessage({ id, ...request }: BindRequest): Bind {
  return { type: 'bind', bindId: id, metadata: null, ...request }
}
