import { ServiceError } from '@tunnel/models'
import type { AgentMessage, Bind, Hello, ServiceSideSession, Unbind } from '@tunnel/session-protocol'
import type { BindPermissions } from './bind-acl.ts'
import { Commands } from './commands.ts'
import type { SessionsLimits } from './limits.ts'
import { toSessionError } from './session-error.ts'
import type { BindingAgent, TunnelBinder } from './tunnel-binder.ts'
import type { Tunnel } from './tunnel.ts'

/** What is known about an online session. */
export interface SessionFacts {
  readonly id: string
  readonly accountId: string
  readonly credentialId: string
  readonly clientId: string
  readonly ip: string
  readonly region: string
  /** `service/` and the protocol version. */
  readonly transport: string
  readonly startedAtMs: number
  readonly hello: Omit<Hello, 'authtoken' | 'resume'>
}

export interface AgentSessionDeps {
  readonly binder: TunnelBinder
  readonly limits: SessionsLimits
  /** A bind was answered; null: it was accepted. */
  readonly onBind: (facts: SessionFacts, bind: Bind, error: unknown) => void
}

/** An authenticated session: answers binds one after the other, and holds its tunnels. */
export class AgentSession implements BindingAgent {
  readonly facts: SessionFacts
  readonly commands: Commands
  readonly streams: ServiceSideSession
  readonly #deps: AgentSessionDeps
  readonly #tunnels = new Map<string, Tunnel>()
  #permissions: BindPermissions
  #lastRequest: Promise<void> = Promise.resolve()
  #pendingRequests = 0

  constructor(facts: SessionFacts, acl: readonly string[], session: ServiceSideSession, deps: AgentSessionDeps) {
    this.facts = facts
    this.streams = session
    this.#deps = deps
    this.#permissions = { credentialId: facts.credentialId, acl }
    const { capabilities } = facts.hello
    this.commands = new Commands(capabilities, deps.limits.commandWithinMs, (command) => session.send(command))
  }

  get sessionId(): string {
    return this.facts.id
  }

  get accountId(): string {
    return this.facts.accountId
  }

  get clientId(): string {
    return this.facts.clientId
  }

  get permissions(): BindPermissions {
    return this.#permissions
  }

  get isClosed(): boolean {
    return this.streams.isClosed
  }

  get tunnels(): Iterable<Tunnel> {
    return this.#tunnels.values()
  }

  onControl(message: AgentMessage): void {
    switch (message.type) {
      case 'hello':
        return this.#closeForBreach('a second hello')
      case 'commandResult':
        return this.commands.onResult(message)
      case 'bind':
        return this.#inTurn(() => this.#answerBind(message))
      case 'unbind':
        return this.#inTurn(() => this.#answerUnbind(message))
    }
  }

  /** New rules of the credential: tunnels that they forbid are stopped. */
  applyAcl(acl: readonly string[]): void {
    this.#permissions = { credentialId: this.facts.credentialId, acl }
    this.stopForbidden()
  }

  /** Stops the tunnels that the rules of the credential, or the reserved addresses as they are now, forbid. */
  stopForbidden(): void {
    for (const tunnel of this.tunnels) {
      const error = this.#deps.binder.refusal(this, tunnel)
      if (error) this.stopTunnel(tunnel, error)
    }
  }

  /** A name was reserved: tunnels at it, or below it, that are somebody else's are stopped. */
  async applyReservation(baseName: string): Promise<void> {
    for (const tunnel of this.tunnels) {
      const { domain } = tunnel.facts
      if (domain === null || !`.${domain}`.endsWith(`.${baseName}`)) continue
      const error = await this.#deps.binder.refusalByName(this, tunnel)
      if (error !== null) this.stopTunnel(tunnel, error)
    }
  }

  /** Takes a tunnel away and tells the agent why. */
  stopTunnel(tunnel: Tunnel, error: unknown): void {
    const { bindId } = tunnel.bind
    if (this.#tunnels.get(bindId) !== tunnel) return
    this.#tunnels.delete(bindId)
    this.#deps.binder.unbind(tunnel, false)
    this.streams.send({ type: 'stopTunnel', bindId, error: toSessionError(error) })
  }

  /** The session is over: its names are free at once. */
  onClosed(): void {
    this.commands.abandon()
    for (const tunnel of this.tunnels) this.#deps.binder.unbind(tunnel, true)
    this.#tunnels.clear()
  }

  /** Requests are carried out in their order, so that an unbind never overtakes its bind. */
  #inTurn(request: () => Promise<void> | void): void {
    if (this.#pendingRequests >= this.#deps.limits.pendingRequestsMax) return this.#closeForBreach('too many requests')
    this.#pendingRequests += 1
    this.#lastRequest = this.#lastRequest.then(request).finally(() => (this.#pendingRequests -= 1))
  }

  async #answerBind(bind: Bind): Promise<void> {
    const { bindId } = bind
    try {
      const tunnel = await this.#bind(bind)
      if (!tunnel) return
      this.#deps.onBind(this.facts, bind, null)
      const { id: tunnelId, publicUrl: url, domain } = tunnel.facts
      this.streams.send({ type: 'bindResult', bindId, tunnel: { tunnelId, url, domain }, error: null })
    } catch (error) {
      this.#deps.onBind(this.facts, bind, error)
      this.streams.send({ type: 'bindResult', bindId, tunnel: null, error: toSessionError(error) })
    }
  }

  async #bind(bind: Bind): Promise<Tunnel | null> {
    const { bindId } = bind
    const max = this.#deps.limits.bindsPerSessionMax
    if (this.#tunnels.has(bindId)) throw new ServiceError('bind_id_in_use', { bindId })
    if (this.#tunnels.size >= max) throw new ServiceError('bind_limit_reached', { max })
    const tunnel = this.isClosed ? null : await this.#deps.binder.bind(this, bind)
    if (tunnel) this.#tunnels.set(bindId, tunnel)
    return tunnel
  }

  #answerUnbind({ bindId }: Unbind): void {
    const tunnel = this.#tunnels.get(bindId)
    const error = tunnel ? null : toSessionError(new ServiceError('bind_unknown', { bindId }))
    if (tunnel) this.#deps.binder.unbind(tunnel, false)
    this.#tunnels.delete(bindId)
    this.streams.send({ type: 'unbindResult', bindId, error })
  }

  #closeForBreach(message: string): void {
    this.streams.close({ code: 'protocol_error', retryAfterMs: 0, message })
  }
}
