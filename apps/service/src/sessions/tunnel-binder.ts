import { ServiceError } from '@tunnel/models'
import type { Bind } from '@tunnel/session-protocol'
import { type BindPermissions, requireLabelsAllowed, requireNameAllowed } from './bind-acl.ts'
import { parseDomainName } from './domain-name.ts'
import type { FreeNames } from './free-names.ts'
import type { LabelledTunnels } from './labelled-tunnels.ts'
import type { RoutingTable } from './routing-table.ts'
import type { CompilePolicy, PortLease, PublishEvent, TcpAddresses } from './sessions-deps.ts'
import { type StreamSource, Tunnel } from './tunnel.ts'
import type { NameAuthority } from './zone-names.ts'

/** Who binds: the session and the account that it belongs to. */
export interface BindingAgent {
  readonly sessionId: string
  readonly accountId: string
  readonly clientId: string
  readonly permissions: BindPermissions
  readonly streams: StreamSource
  readonly isClosed: boolean
}

export interface TunnelBinderDeps {
  readonly routes: RoutingTable<Tunnel>
  readonly labelled: LabelledTunnels
  readonly names: NameAuthority
  readonly freeNames: FreeNames
  /** Compiles a policy once, at bind time. Throws `ServiceError` when it is wrong. */
  readonly compilePolicy: CompilePolicy
  readonly publicUrl: (protocol: 'http' | 'https', domain: string) => string
  readonly tcp: TcpAddresses
  readonly mintId: (prefix: string) => string
  readonly wallMs: () => number
  readonly region: string
  readonly publish: PublishEvent
}

/** Turns binds into tunnels and takes them back. Every rule is checked for every bind, before anything is claimed. */
export class TunnelBinder {
  readonly #deps: TunnelBinderDeps
  readonly #leases = new WeakMap<Tunnel, PortLease>()
  #reservationChanges = 0

  constructor(deps: TunnelBinderDeps) {
    this.#deps = deps
  }

  /** Throws `ServiceError`. Null: the session has ended meanwhile. */
  async bind(agent: BindingAgent, bind: Bind): Promise<Tunnel | null> {
    if (bind.labels && bind.domain !== null) throw new ServiceError('bind_domain_and_labels')
    if (bind.protocol === 'tcp' && !bind.labels) return this.#bindPort(agent, bind)
    if (bind.labels) requireLabelsAllowed(agent.permissions, bind.labels)
    const policy = await this.#compile(agent, bind)
    const domain = bind.labels ? null : await this.#allowedDomain(agent, bind)
    if (agent.isClosed) return null
    const publicUrl = domain === null ? null : this.#urlOf(bind, domain)
    const tunnel = this.#tunnel(agent, bind, { domain, publicUrl, policy })
    if (domain === null) this.#deps.labelled.add(tunnel)
    else this.#deps.routes.claim(domain, tunnel)
    this.#deps.publish(tunnel.accountId, 'tunnel_started', eventObject(tunnel))
    return tunnel
  }

  /** Why the rules of the agent's credential, or the reserved addresses of its account, forbid a tunnel that it has, or null. */
  refusal({ permissions, accountId }: BindingAgent, tunnel: Tunnel): unknown {
    try {
      if (tunnel.bind.labels) requireLabelsAllowed(permissions, tunnel.bind.labels)
      const name = tunnel.facts.domain ?? (this.#leases.has(tunnel) ? this.#addressOf(tunnel.bind) : null)
      if (name !== null) requireNameAllowed(permissions, name)
      if (this.#leases.has(tunnel) && tunnel.bind.domain !== null)
        this.#deps.tcp.ports.requireReserved(accountId, this.#addressOf(tunnel.bind))
      return null
    } catch (error) {
      return error
    }
  }

  /** Names have been reserved: a bind that is being decided now is decided again. */
  noteReservation(): void {
    this.#reservationChanges += 1
  }

  /** Why the reservations as they are now forbid a tunnel, or null. */
  async refusalByName({ accountId }: BindingAgent, { facts }: Tunnel): Promise<ServiceError | null> {
    if (facts.domain === null) return null
    try {
      await this.#deps.names.authorise(accountId, facts.domain)
      return null
    } catch (error) {
      if (error instanceof ServiceError) return error
      throw error
    }
  }

  /** `isExpectedBack`: visitors are told that the agent is offline, not that nothing is there. */
  unbind(tunnel: Tunnel, isExpectedBack: boolean): void {
    tunnel.unbound()
    this.#deps.labelled.remove(tunnel)
    this.#leases.get(tunnel)?.release()
    this.#deps.publish(tunnel.accountId, 'tunnel_stopped', eventObject(tunnel))
    if (tunnel.facts.domain !== null) this.#deps.routes.release(tunnel.facts.domain, tunnel, isExpectedBack)
  }

  async #compile({ accountId, clientId }: BindingAgent, { policy, bindId, protocol }: Bind): Promise<unknown> {
    if (policy === null) return null
    return this.#deps.compilePolicy(policy, {
      owner: `${accountId} ${clientId} ${bindId}`,
      accountId,
      protocol: protocol === 'https' ? 'http' : protocol,
    })
  }

  /** `tcp`: the reserved address that is asked for, or a port of its own, the same one whenever the same agent binds the same id, as long as nobody else has it. */
  async #bindPort(agent: BindingAgent, bind: Bind): Promise<Tunnel | null> {
    const { tcp, freeNames, publish } = this.#deps
    const address = this.#addressOf(bind)
    requireNameAllowed(agent.permissions, address)
    const policy = await this.#compile(agent, bind)
    let tunnel: Tunnel | undefined
    const lease = await (bind.domain === null
      ? tcp.ports.claim(freeNames.numberFor(agent, bind.bindId), () => tunnel)
      : tcp.ports.claimReserved(agent.accountId, address, () => tunnel))
    if (agent.isClosed) {
      lease.release()
      return null
    }
    const publicUrl = bind.domain === null ? `tcp://${tcp.host}:${lease.port}` : `tcp://${address}`
    tunnel = this.#tunnel(agent, bind, { domain: null, publicUrl, policy })
    this.#leases.set(tunnel, lease)
    publish(tunnel.accountId, 'tunnel_started', eventObject(tunnel))
    return tunnel
  }

  /** What the rules of a credential must allow: a reserved address, or the host of all random ports. */
  #addressOf({ domain }: Bind): string {
    return domain?.toLowerCase() ?? this.#deps.tcp.host
  }

  #urlOf({ protocol }: Bind, domain: string): string {
    return protocol === 'http' || protocol === 'https'
      ? this.#deps.publicUrl(protocol, domain)
      : `${protocol}://${domain}`
  }

  async #allowedDomain(agent: BindingAgent, bind: Bind): Promise<string> {
    const domain =
      bind.domain === null ? this.#deps.freeNames.nameFor(agent, bind.bindId) : parseDomainName(bind.domain)
    requireNameAllowed(agent.permissions, domain)
    // What was reserved while the names were looked up may have been missed.
    for (let seen = -1; seen !== this.#reservationChanges;) {
      seen = this.#reservationChanges
      await this.#deps.names.authorise(agent.accountId, domain)
    }
    return domain
  }

  #tunnel(agent: BindingAgent, bind: Bind, made: Pick<Tunnel['facts'], 'domain' | 'publicUrl' | 'policy'>): Tunnel {
    const { mintId, wallMs, region } = this.#deps
    const { accountId, sessionId } = agent
    const facts = { id: mintId('tn'), accountId, sessionId, region, startedAtMs: wallMs(), ...made }
    return new Tunnel(facts, bind, agent.streams)
  }
}

/** What an event tells of a tunnel: which one, how it is reached, and whose it is. */
function eventObject({ id, facts, bind }: Tunnel) {
  const { sessionId, publicUrl } = facts
  const reached = publicUrl === null ? { labels: bind.labels } : { public_url: publicUrl }
  return { id, ...reached, tunnel_session: { id: sessionId } }
}
