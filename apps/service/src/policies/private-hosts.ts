import { CidrSet, isCidr, type PolicyHost, validatingHost } from '@tunnel/policy-engine'

/** Hosts of the operator's own network that policies may reach: lower-case names, addresses and address blocks. */
export class PrivateHosts {
  readonly #names: ReadonlySet<string>
  readonly #blocks: CidrSet

  constructor(hosts: readonly string[]) {
    this.#names = new Set(hosts.filter((host) => !isCidr(host)))
    this.#blocks = new CidrSet(hosts.filter(isCidr))
  }

  /** Of a name or an address. */
  has(host: string): boolean {
    return this.#names.has(host) || this.#blocks.find(host) !== undefined
  }
}

/** A host for checking documents as they will run here. */
export function checkingHost(privateHosts: PrivateHosts): PolicyHost {
  return { ...validatingHost, allowsPrivateHost: (host) => privateHosts.has(host) }
}
