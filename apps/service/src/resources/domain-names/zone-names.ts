import { createHash } from 'node:crypto'

const ingressNameservers = [1, 2, 3, 4]
/** First labels below the zone with a meaning of their own. */
const ownLabels = new Set(['acme-challenge', 'api', 'cname', 'connect', 'ns', 'ns1', 'ns2', 'tcp'])

/** The names that the service derives below its own zone, and which of them customers may have. */
export class ZoneNames {
  readonly zone: string
  readonly region: string

  constructor(zone: string, region: string) {
    this.zone = zone
    this.region = region
  }

  isWithin(domain: string): boolean {
    return domain === this.zone || domain.endsWith(`.${this.zone}`)
  }

  /** Whether the zone lies below a domain. */
  isBelow(domain: string): boolean {
    return this.zone.endsWith(`.${domain}`)
  }

  /** Whether a name, or one that a wildcard covers, belongs to the service itself. */
  isOwn(domain: string): boolean {
    if (domain === this.zone) return true
    if (!this.isWithin(domain)) return domain.startsWith('*.') && this.isBelow(domain.slice(2))
    const firstBelow =
      domain
        .slice(0, -this.zone.length - 1)
        .split('.')
        .at(-1) ?? ''
    return ownLabels.has(firstBelow) || firstBelow === '*'
  }

  /** What the CNAME record of a customer's domain points at. */
  aliasOf(domainId: string, accountId: string): string {
    return `${label(domainId)}.${label(accountId)}.cname.${this.zone}`
  }

  /** What its `_acme-challenge` record points at. */
  challengeOf(domainId: string): string {
    return `${label(domainId)}.acme-challenge.${this.zone}`
  }

  /** What the NS records of an ingress domain hold; absolute names with their final dot. */
  nameserversOf(ingressId: string): string[] {
    return ingressNameservers.map((n) => `${n}.${label(ingressId)}.ns.${this.zone}.`)
  }

  /** Where agents connect through an ingress. */
  regionDomainsOf(domain: string): string[] {
    return [`tunnel.${this.region}.${domain}`]
  }

  /** The host of the service's TCP addresses. */
  get tcpHost(): string {
    return `1.tcp.${this.zone}`
  }
}

/** The same short label for the same id for ever. */
function label(id: string): string {
  const digest = createHash('sha256').update(id).digest()
  return (
    digest.readBigUInt64BE(0).toString(36).padStart(13, '0') +
    digest.readUInt32BE(8).toString(36).slice(0, 4).padStart(4, '0')
  )
}
