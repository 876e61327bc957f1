import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@tunnel/models'
import type { AgentSession, SessionFacts } from './agent-session.ts'
import type { CommandKind } from './commands.ts'
import { drainSessions } from './drain-sessions.ts'
import { FreeNames } from './free-names.ts'
import { Greeter } from './greeter.ts'
import { defaultSessionsLimits } from './limits.ts'
import { OnlineSessions } from './online-sessions.ts'
import { type Route, RoutingTable } from './routing-table.ts'
import { AgentIdentities } from './agent-identity.ts'
import { AgentReception } from './agent-reception.ts'
import { SessionJournal } from './session-journal.ts'
import { SessionListener } from './session-listener.ts'
import type { SessionsDeps } from './sessions-deps.ts'
import { TunnelBinder } from './tunnel-binder.ts'
import type { Tunnel } from './tunnel.ts'

/** All sessions of this process, and the names that they serve. */
export class Sessions implements AsyncDisposable {
  readonly #listener: SessionListener
  readonly #online: OnlineSessions
  readonly #routes: RoutingTable<Tunnel>
  readonly #binder: TunnelBinder
  readonly #mintId: (prefix: string) => string

  constructor(
    listener: SessionListener,
    online: OnlineSessions,
    routes: RoutingTable<Tunnel>,
    binder: TunnelBinder,
    mintId: (prefix: string) => string,
  ) {
    this.#listener = listener
    this.#binder = binder
    this.#online = online
    this.#routes = routes
    this.#mintId = mintId
  }

  /** Takes over an HTTP upgrade of the connect address, or of an address that is for agents of one account alone. */
  handleUpgrade(request: IncomingMessage, socket: Socket, head: Buffer, onlyAccountId: string | null): void {
    this.#listener.handleUpgrade(request, socket, head, onlyAccountId)
  }

  /** Where a lower-case host name leads now. */
  find(host: string): Route<Tunnel> {
    return this.#routes.find(host)
  }

  /** The online sessions of an account, newest last. */
  list(accountId: string): SessionFacts[] {
    return this.#ofAccount(accountId).map(({ facts }) => facts)
  }

  /** Undefined: not online, or of another account. */
  get(accountId: string, sessionId: string): SessionFacts | undefined {
    return this.#find(accountId, sessionId)?.facts
  }

  tunnels(accountId: string): Tunnel[] {
    return this.#ofAccount(accountId).flatMap((session) => [...session.tunnels])
  }

  /**
   * Commands the agent of a session. Resolves when the agent has accepted, undefined when there is no such session in the account.
   * Throws the `ServiceError`s of `Commands.run`.
   */
  command(accountId: string, sessionId: string, kind: CommandKind, version?: string): Promise<void> | undefined {
    return this.#find(accountId, sessionId)?.commands.run(this.#mintId('cmd'), kind, version)
  }

  /** A credential was deleted, or its owner deactivated: its sessions end at once. */
  closeByCredential(credentialId: string): void {
    const { message } = new ServiceError('authtoken_revoked')
    for (const session of this.#online.all()) {
      if (session.facts.credentialId !== credentialId) continue
      session.streams.close({ code: 'credential_revoked', retryAfterMs: 60_000, message })
    }
  }

  /** The rules of a credential have changed: they hold for its sessions at once. */
  applyAcl(credentialId: string, acl: readonly string[]): void {
    for (const session of this.#online.all()) if (session.facts.credentialId === credentialId) session.applyAcl(acl)
  }

  /** The restrictions of accounts have changed: agents whose address is not let in any more are sent away. */
  closeOutsiders(admits: (accountId: string, ip: string) => boolean): void {
    for (const { facts, streams } of this.#online.all()) {
      if (admits(facts.accountId, facts.ip)) continue
      const { message } = new ServiceError('agent_address_refused', { address: facts.ip })
      streams.close({ code: 'credential_revoked', retryAfterMs: 60_000, message })
    }
  }

  /** Addresses have been given up: agents lose the tunnels that they have there. */
  applyReleasedAddresses(): void {
    for (const session of this.#online.all()) session.stopForbidden()
  }

  /** An account has reserved a name, or a wildcard: agents of others lose the tunnels that they have there. */
  async applyReservation(name: string): Promise<void> {
    this.#binder.noteReservation()
    const baseName = name.replace(/^\*\./, '')
    await Promise.all(this.#online.all().map((session) => session.applyReservation(baseName)))
  }

  /** No new sessions; the agents are sent away, spread over a while, and running streams may finish until the deadline. */
  async drain(deadlineMs: number): Promise<void> {
    this.#listener.drain()
    await drainSessions(this.#online.all(), deadlineMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain(0)
  }

  #ofAccount(accountId: string): AgentSession[] {
    return this.#online.all().filter(({ facts }) => facts.accountId === accountId)
  }

  #find(accountId: string, sessionId: string): AgentSession | undefined {
    const session = this.#online.get(sessionId)
    return session?.facts.accountId === accountId ? session : undefined
  }
}

/** Builds the sessions and connects their parts. They begin with the first upgrade. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { clock, mintId, identityKey, zone, region, random } = deps
  const limits = { ...defaultSessionsLimits, ...deps.limits }
  const routes = new RoutingTable<Tunnel>(limits.offlineNamesMax, deps.nameMemory)
  const journal = new SessionJournal(deps, () => ({ sessions: online.size, names: routes.size }))
  const online = new OnlineSessions({ ...limits, nowMs: clock.nowMs, onDisplaced: journal.onDisplaced })
  const freeNames = new FreeNames(subkey(identityKey, 'free names'), zone)
  const { names, compilePolicy, publicUrl } = deps
  const binder = new TunnelBinder({
    routes,
    labelled: deps.labelled,
    publish: deps.publish,
    names,
    freeNames,
    compilePolicy,
    publicUrl,
    tcp: deps.tcp,
    mintId,
    region,
    wallMs: clock.wallMs,
  })
  const identities = new AgentIdentities(subkey(identityKey, 'agent identities'), mintId)
  const greeter = new Greeter({
    authtokens: deps.authtokens,
    admitsAgent: deps.admitsAgent,
    identities,
    online,
    limits,
    sessionDeps: { binder, limits, onBind: journal.onBind },
    zone,
    region,
    mintId,
    wallMs: clock.wallMs,
    random,
    journal,
  })
  const reception = new AgentReception({ greeter, online, journal, limits, nowMs: clock.nowMs })
  const listener = new SessionListener({ limits, random, onPeer: (peer) => reception.receive(peer) })
  return new Sessions(listener, online, routes, binder, mintId)
}

function subkey(key: Uint8Array, purpose: string): Buffer {
  return createHmac('sha256', key).update(purpose).digest()
}
