import { ServiceError } from '@tunnel/models'
import { compilePolicy, type CompileResult, type IpPolicy, type Policy, type PolicyHost } from '@tunnel/policy-engine'

/** Endpoints whose counters are kept. The one that was compiled longest ago makes room. */
const statesMax = 10_000

/** Whose policy it is, and what it is for. */
export interface PolicyPlace {
  /** Same for every bind of the same tunnel: counters of limits live on under it. */
  readonly owner: string
  readonly protocol: 'http' | 'tls' | 'tcp'
  readonly ipPolicy?: (id: string) => IpPolicy | undefined
}

/** Compiles the policies of tunnels for this process, and keeps what outlives one compilation. */
export class PolicyCompiler {
  readonly #host: Omit<PolicyHost, 'state' | 'ipPolicy'>
  readonly #states = new Map<string, Map<string, unknown>>()

  constructor(host: Omit<PolicyHost, 'state' | 'ipPolicy'>) {
    this.#host = host
  }

  /** Throws `ServiceError` `policy_invalid` with the first problem. */
  compile(document: unknown, place: PolicyPlace): Policy {
    const result = this.check(document, place)
    if (result.ok) return result.policy
    const [problem] = result.problems
    const { path = '$', message = 'it cannot be compiled' } = problem ?? {}
    throw new ServiceError('policy_invalid', { path, problem: message })
  }

  check(document: unknown, { owner, protocol, ipPolicy }: PolicyPlace): CompileResult {
    const host = { ...this.#host, state: this.#stateOf(owner), ...(ipPolicy && { ipPolicy }) }
    return compilePolicy(document, { protocol, host })
  }

  #stateOf(owner: string): Map<string, unknown> {
    const state = this.#states.get(owner) ?? new Map<string, unknown>()
    this.#states.delete(owner)
    this.#states.set(owner, state)
    if (this.#states.size > statesMax) this.#states.delete(this.#states.keys().next().value ?? owner)
    return state
  }
}
