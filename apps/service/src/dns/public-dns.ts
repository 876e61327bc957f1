import type { DecodedPacket } from 'dns-packet'
import { type CaaRecord as NodeCaaRecord, promises } from 'node:dns'
import { askServer } from './ask-server.ts'

export interface CaaRecord {
  readonly isCritical: boolean
  readonly tag: string
  readonly value: string
}

export interface PublicDnsOptions {
  /** Recursors to ask, `address` or `address:port`; null takes the system's. */
  readonly resolvers: readonly string[] | null
  /** Where authoritative servers listen; another one than 53 only in tests. */
  readonly authoritativePort: number
}

const lookupWithinMs = 2_000
const lookupTries = 2
const parentServersMax = 4
/** For the way to the parent of a domain, which may have a hundred labels and slow servers. */
const parentWithinMs = 10_000

/** DNS as the rest of the world sees it. What is not there is an empty list; a lookup that fails throws. */
export class PublicDns implements Disposable {
  readonly #resolver = new promises.Resolver({ timeout: lookupWithinMs, tries: lookupTries })
  readonly #authoritativePort: number

  constructor({ resolvers, authoritativePort }: PublicDnsOptions) {
    if (resolvers !== null) this.#resolver.setServers(resolvers)
    this.#authoritativePort = authoritativePort
  }

  /** Lookups that are under way fail. */
  [Symbol.dispose](): void {
    this.#resolver.cancel()
  }

  aliasesOf(name: string): Promise<readonly string[]> {
    return emptyWhenAbsent(this.#resolver.resolveCname(name))
  }

  async caaOf(name: string): Promise<readonly CaaRecord[]> {
    return (await emptyWhenAbsent(this.#resolver.resolveCaa(name))).map(toCaaRecord)
  }

  /**
   * The name servers that the parent zone lists for a domain. Asked at the parent's own servers: a recursor would ask the
   * servers of the domain itself, and hear from us what we want to hear.
   */
  async delegationOf(domain: string): Promise<readonly string[]> {
    return listedNameservers(await this.#askParent(domain), domain)
  }

  /** The addresses that the parent zone gives out with a delegation. */
  async glueOf(domain: string): Promise<readonly string[]> {
    const { additionals = [] } = await this.#askParent(domain)
    return additionals
      .filter(({ type }) => type === 'A' || type === 'AAAA')
      .map((record) => (record as { data: string }).data)
  }

  async #askParent(domain: string): Promise<DecodedPacket> {
    const deadline = AbortSignal.timeout(parentWithinMs)
    const servers = await this.#parentServers(domain, deadline)
    let failure: unknown = new Error(
      `no name server was found for any zone above ${domain}; see SERVICE_DNS_RESOLVERS and the way out`,
    )
    for (const address of servers) {
      deadline.throwIfAborted()
      try {
        return await askServer({ address, port: this.#authoritativePort, name: domain, type: 'NS' })
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  /** Addresses of the servers of the closest enclosing zone. */
  async #parentServers(domain: string, deadline: AbortSignal): Promise<string[]> {
    for (let at = parentOf(domain); at !== ''; at = parentOf(at)) {
      deadline.throwIfAborted()
      const names = await emptyWhenAbsent(this.#resolver.resolveNs(at))
      if (names.length === 0) continue
      const addresses = await Promise.all(names.slice(0, parentServersMax).map((name) => this.addressesOf(name)))
      return addresses.flat().slice(0, parentServersMax)
    }
    return []
  }

  async addressesOf(name: string): Promise<readonly string[]> {
    const [v4, v6] = await Promise.all([
      emptyWhenAbsent(this.#resolver.resolve4(name)),
      emptyWhenAbsent(this.#resolver.resolve6(name)),
    ])
    return [...v4, ...v6]
  }
}

/** Node names the tag by a property of its own, beside `critical` and `type`. */
function toCaaRecord(record: NodeCaaRecord): CaaRecord {
  const [tag = '', value = ''] = Object.entries(record).find(([key]) => key !== 'critical' && key !== 'type') ?? []
  return { isCritical: (record.critical & 0x80) !== 0, tag, value: String(value) }
}

function parentOf(domain: string): string {
  const dot = domain.indexOf('.')
  return dot < 0 ? '' : domain.slice(dot + 1)
}

/** A referral lists them in its authority section; a server that also has authority for the child answers with them. */
function listedNameservers(response: DecodedPacket, domain: string): string[] {
  const { rcode } = response as DecodedPacket & { rcode: string }
  if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') throw new Error(`the parent of ${domain} answered ${rcode}`)
  const records = [...(response.answers ?? []), ...(response.authorities ?? [])]
  return records
    .filter((record) => record.type === 'NS' && record.name.toLowerCase() === domain.toLowerCase())
    .map((record) => (record as { data: string }).data)
}

const absentCodes = new Set(['ENOTFOUND', 'ENODATA'])

async function emptyWhenAbsent<T>(lookup: Promise<T[]>): Promise<T[]> {
  try {
    return await lookup
  } catch (error) {
    if (absentCodes.has(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}
