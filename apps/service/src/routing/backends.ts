import type { BackendChoice, FixedResponse, RouteBackend } from '../edge/edge-route.ts'
import type { EdgeTunnel } from '../edge/edge-tunnel.ts'
import type { Balancer } from './balancer.ts'

const none: BackendChoice = { kind: 'none' }

/** Spreads requests over the tunnels that are members at the moment. */
export class TunnelGroup implements RouteBackend {
  readonly #members: () => readonly EdgeTunnel[]
  readonly #balancer: Balancer<EdgeTunnel>

  constructor(members: () => readonly EdgeTunnel[], balancer: Balancer<EdgeTunnel>) {
    this.#members = members
    this.#balancer = balancer
  }

  choose(tried: readonly EdgeTunnel[]): BackendChoice {
    const tunnel = this.#balancer.choose(this.#members(), tried)
    if (tunnel === undefined) return none
    return { kind: 'tunnel', tunnel, use: { begin: () => this.#balancer.begin(tunnel) } }
  }
}

/** Answers always the same. */
export class HttpResponse implements RouteBackend {
  readonly #choice: BackendChoice

  constructor(response: FixedResponse) {
    this.#choice = { kind: 'response', response }
  }

  choose(): BackendChoice {
    return this.#choice
  }
}

/** Takes the first backend that can serve. */
export class Failover implements RouteBackend {
  readonly #backends: readonly RouteBackend[]

  constructor(backends: readonly RouteBackend[]) {
    this.#backends = backends
  }

  choose(tried: readonly EdgeTunnel[]): BackendChoice {
    for (const backend of this.#backends) {
      const choice = backend.choose(tried)
      if (choice.kind !== 'none') return choice
    }
    return none
  }
}

export interface WeightedMember {
  readonly backend: RouteBackend
  readonly weight: number
}

/** Shares requests by weight; what falls to a backend that cannot serve goes to the others, by their weights. */
export class Weighted implements RouteBackend {
  readonly #members: readonly WeightedMember[]
  readonly #random: () => number

  constructor(members: readonly WeightedMember[], random: () => number) {
    this.#members = members.filter(({ weight }) => weight > 0)
    this.#random = random
  }

  choose(tried: readonly EdgeTunnel[]): BackendChoice {
    const left = [...this.#members]
    while (left.length > 0) {
      const [member] = left.splice(this.#draw(left), 1)
      const choice = member?.backend.choose(tried) ?? none
      if (choice.kind !== 'none') return choice
    }
    return none
  }

  #draw(members: readonly WeightedMember[]): number {
    let point = this.#random() * members.reduce((total, { weight }) => total + weight, 0)
    return Math.max(
      0,
      members.findIndex(({ weight }) => (point -= weight) < 0),
    )
  }
}
