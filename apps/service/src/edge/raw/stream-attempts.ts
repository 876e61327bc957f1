import { ServiceError } from '@tunnel/models'
import type { MuxStream } from '@tunnel/session-protocol'
import type { RouteBackend } from '../edge-route.ts'
import type { EdgeTunnel } from '../edge-tunnel.ts'
import type { Visitor } from '../visitor/visitor.ts'
import { passTunnelRules } from './connect-rules.ts'

/** One tunnel, or a backend that chooses among several. */
export type RawWay = EdgeTunnel | { readonly backend: RouteBackend | null }

export interface AttemptFacts {
  readonly host: string
  readonly visitor: Visitor
  /** Identifier of this process's region, for policies. */
  readonly region: string
}

/** Opens streams for one connection, until a tunnel takes it. */
export class StreamAttempts {
  readonly #way: RawWay
  readonly #facts: AttemptFacts
  readonly #tried: EdgeTunnel[] = []
  #end: (outcome: 'success' | 'failure') => void = () => undefined
  /** Of the latest attempt. */
  tunnel: EdgeTunnel | undefined

  constructor(way: RawWay, facts: AttemptFacts) {
    this.#way = way
    this.#facts = facts
  }

  /** Through the first tunnel that can. Throws ServiceError. */
  open(): MuxStream {
    if (!('backend' in this.#way)) {
      this.#letIn(this.#way)
      return this.#openAt(this.#way)
    }
    for (;;) {
      const choice = this.#way.backend?.choose(this.#tried)
      // A fixed response is HTTP, which nobody speaks here.
      if (choice?.kind !== 'tunnel') throw new ServiceError('backend_offline', { host: this.#facts.host })
      this.#letIn(choice.tunnel)
      this.#tried.push(choice.tunnel)
      this.#end = choice.use.begin()
      try {
        return this.#openAt(choice.tunnel)
      } catch {
        this.finish('failure')
      }
    }
  }

  /** The stream has reached nobody: through the next tunnel. Undefined: there is none. */
  openNext(): MuxStream | undefined {
    if (!('backend' in this.#way)) return undefined
    this.finish('failure')
    try {
      return this.open()
    } catch {
      return undefined
    }
  }

  /** The connection is over. Only the first call for each tunnel counts. */
  finish(outcome: 'success' | 'failure'): void {
    this.#end(outcome)
    this.#end = () => undefined
  }

  /** A visitor whom one tunnel refuses does not get to another. */
  #letIn(tunnel: EdgeTunnel): void {
    passTunnelRules(tunnel, this.#facts.visitor, this.#facts.region)
  }

  #openAt(tunnel: EdgeTunnel): MuxStream {
    this.tunnel = tunnel
    return tunnel.openStream({ visitorAddress: this.#facts.visitor.address, kind: 'raw' })
  }
}
