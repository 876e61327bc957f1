import { createServiceZone, putAddresses, removeAddresses, type ServiceZoneOptions } from './service-zone.ts'
import { toWireName } from './wire-name.ts'
import { Zone } from './zone.ts'
import { ZoneTable } from './zone-table.ts'

/** What the zone of an agent ingress is made of. Names are dotted text; a final dot is allowed. */
export interface IngressDelegation {
  readonly domain: string
  readonly nsTargets: readonly string[]
  readonly regionDomains: readonly string[]
}

/** Short, because resolvers keep the values of one order into the next (5 s is the least that all honour). */
const challengeTtlSeconds = 1

/** Everything that this service says in DNS: its own zone and one zone for each agent ingress that is delegated to it. */
export class Authority {
  readonly zones = new ZoneTable()
  readonly #service: Zone
  readonly #options: ServiceZoneOptions

  constructor(options: ServiceZoneOptions) {
    this.#options = options
    this.#service = createServiceZone(options)
    this.zones.add(this.#service)
  }

  /** Makes `cname_target` of a reserved domain lead to the edge. */
  addAlias(target: string): void {
    putAddresses(this.#service, target, this.#options.publicIps)
  }

  /** A customer's left-over CNAME then leads nowhere, so that nobody else can receive its traffic. */
  removeAlias(target: string): void {
    removeAddresses(this.#service, target)
  }

  /** Answers for an ingress from now on, or adds regions. Only for a domain whose parent delegates it to exactly these targets. */
  loadIngress(ingress: IngressDelegation): void {
    const zone = this.zones.get(ingress.domain) ?? this.#addIngressZone(ingress)
    for (const name of [ingress.domain, ...ingress.regionDomains]) putAddresses(zone, name, this.#options.publicIps)
  }

  unloadIngress(domain: string): void {
    this.zones.remove(domain)
  }

  hasIngress(domain: string): boolean {
    return this.zones.get(domain) !== undefined
  }

  /** Publishes challenge values, all that are wanted at this name at once; an empty list withdraws them. */
  publishText(name: string, values: readonly string[]): void {
    const zone = this.zones.find(toWireName(name))
    if (zone === undefined) {
      if (values.length > 0) throw new Error(`${name} is in no zone of ours`)
      return
    }
    if (values.length === 0) zone.remove(name, 'TXT')
    else zone.put(name, challengeTtlSeconds, { type: 'TXT', values })
  }

  #addIngressZone({ domain, nsTargets }: IngressDelegation): Zone {
    const zone = new Zone({ apex: domain, nameservers: nsTargets, nowSeconds: this.#options.nowSeconds })
    this.zones.add(zone)
    return zone
  }
}
