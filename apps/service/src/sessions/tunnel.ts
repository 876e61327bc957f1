import { ServiceError } from '@tunnel/models'
import type { Bind, MuxStream, StreamHeader } from '@tunnel/session-protocol'
import { StreamUnavailable } from '@tunnel/session-protocol'

/** The session of a tunnel, as far as a tunnel needs it. */
export interface StreamSource {
  openStream(header: StreamHeader): MuxStream
}

export interface TunnelFacts {
  readonly id: string
  readonly accountId: string
  readonly sessionId: string
  readonly region: string
  readonly startedAtMs: number
  /** Null for tunnels that are only reached through their labels. */
  readonly domain: string | null
  readonly publicUrl: string | null
  /** The compiled policy, or null. */
  readonly policy: unknown
}

/** What a bind has created: a way to the agent, until it is unbound or its session is over. */
export class Tunnel {
  readonly facts: TunnelFacts
  readonly bind: Bind
  readonly #streams: StreamSource
  #isBound = true

  constructor(facts: TunnelFacts, bind: Bind, streams: StreamSource) {
    this.facts = facts
    this.bind = bind
    this.#streams = streams
  }

  get id(): string {
    return this.facts.id
  }

  get accountId(): string {
    return this.facts.accountId
  }

  /** Empty for tunnels without an address of their own. */
  get url(): string {
    return this.facts.publicUrl ?? ''
  }

  get forwardsTo(): string {
    return this.bind.forwardsTo
  }

  get policy(): unknown {
    return this.facts.policy
  }

  get protocol(): Bind['protocol'] {
    return this.bind.protocol
  }

  get upstreamProtocol(): 'http1' | 'http2' {
    return this.bind.upstreamProtocol
  }

  /** Throws `agent_offline` once the tunnel is gone, and `agent_busy` when the agent has too many streams. */
  openStream({ visitorAddress, kind }: Pick<StreamHeader, 'visitorAddress' | 'kind'>): MuxStream {
    const host = this.facts.domain ?? this.id
    if (!this.#isBound) throw new ServiceError('agent_offline', { host })
    try {
      return this.#streams.openStream({ bindId: this.bind.bindId, kind, visitorAddress })
    } catch (cause) {
      if (!(cause instanceof StreamUnavailable)) throw cause
      throw new ServiceError(cause.reason === 'stream_limit' ? 'agent_busy' : 'agent_offline', { host }, { cause })
    }
  }

  /** Opens no streams from now on. */
  unbound(): void {
    this.#isBound = false
  }
}
