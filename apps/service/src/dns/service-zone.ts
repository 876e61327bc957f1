import { isIPv4, isIPv6 } from 'node:net'
import { Zone } from './zone.ts'

export interface ServiceZoneOptions {
  /** The domain that the service owns. */
  readonly domain: string
  /** Where the edge and the name servers are reached, IPv4 and IPv6. */
  readonly publicIps: readonly string[]
  readonly nowSeconds: () => number
}

const addressTtlSeconds = 60

/** Names below the service's domain that have a meaning of their own. */
export const serviceNames = {
  nameservers: (domain: string): string[] => [`ns1.${domain}`, `ns2.${domain}`],
  /** `N.LABEL.ns.DOMAIN`: name servers of one agent ingress. */
  ingressNameservers: (domain: string): string => `ns.${domain}`,
  /** `DOMAIN_LABEL.ACCOUNT_LABEL.cname.DOMAIN`: what customers' reserved domains point at. */
  aliases: (domain: string): string => `cname.${domain}`,
  /** `LABEL.acme-challenge.DOMAIN`: what their `_acme-challenge` records point at. */
  challenges: (domain: string): string => `acme-challenge.${domain}`,
}

/**
 * The zone of the service's own domain. Free names are its wildcard; the sub-trees for customers' aliases and challenges
 * exist from the start, so that the wildcard never answers for an alias that is not, or no longer, in use.
 */
export function createServiceZone({ domain, publicIps, nowSeconds }: ServiceZoneOptions): Zone {
  const nameservers = serviceNames.nameservers(domain)
  const zone = new Zone({ apex: domain, nameservers, nowSeconds })
  for (const name of [domain, `*.${domain}`, `*.${serviceNames.ingressNameservers(domain)}`])
    putAddresses(zone, name, publicIps)
  for (const [index, name] of nameservers.entries()) putAddresses(zone, name, addressesOfNameserver(publicIps, index))
  zone.keepName(serviceNames.aliases(domain))
  zone.keepName(serviceNames.challenges(domain))
  return zone
}

/** A line of a zone file: names with their final dot. */
export interface RecordLine {
  readonly name: string
  readonly type: 'NS' | 'A' | 'AAAA'
  readonly value: string
}

/** What the parent zone must hold for our zone: its name servers, and their addresses ("glue"), for they live inside it. */
export function delegationRecords(domain: string, publicIps: readonly string[]): RecordLine[] {
  const nameservers = serviceNames.nameservers(domain)
  const glue = nameservers.flatMap((name, index) =>
    addressesOfNameserver(publicIps, index).map((value) => ({
      name: `${name}.`,
      type: isIPv4(value) ? ('A' as const) : ('AAAA' as const),
      value,
    })),
  )
  return [...nameservers.map((name) => ({ name: `${domain}.`, type: 'NS' as const, value: `${name}.` })), ...glue]
}

/** Sets the A and AAAA records of a name. */
export function putAddresses(zone: Zone, name: string, addresses: readonly string[]): void {
  const v4 = addresses.filter((address) => isIPv4(address))
  const v6 = addresses.filter((address) => isIPv6(address))
  if (v4.length > 0) zone.put(name, addressTtlSeconds, { type: 'A', values: v4 })
  if (v6.length > 0) zone.put(name, addressTtlSeconds, { type: 'AAAA', values: v6 })
}

export function removeAddresses(zone: Zone, name: string): void {
  zone.remove(name, 'A')
  zone.remove(name, 'AAAA')
}

/** Each name server gets addresses of its own when there are enough, so that resolvers have somewhere else to go. */
function addressesOfNameserver(publicIps: readonly string[], index: number): string[] {
  const families = [publicIps.filter((ip) => isIPv4(ip)), publicIps.filter((ip) => isIPv6(ip))]
  return families.flatMap((family) => family.slice(index % Math.max(1, family.length)).slice(0, 1))
}
