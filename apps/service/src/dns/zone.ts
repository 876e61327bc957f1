import { recordTypes } from './protocol.ts'
import { negativeTtlSeconds, type RecordData, type RecordSet, recordSet } from './record-set.ts'
import { isWithin, parentOf, toText, toWireName, type WireName } from './wire-name.ts'

export interface ZoneOptions {
  /** Dotted text, as all names of the options. */
  readonly apex: string
  readonly nameservers: readonly string[]
  readonly nowSeconds: () => number
}

interface ZoneNode {
  readonly sets: Map<number, RecordSet>
  /** Names directly below, plus one when the name must exist without records. Zero and no sets: the name does not exist. */
  below: number
}

const soaTtlSeconds = 300
const nameserverTtlSeconds = 3_600

/**
 * One zone of authority in memory: SOA and NS at its apex, other records as they are put.
 * Every ancestor of a name with records exists as well, without records (an empty non-terminal, RFC 8020).
 */
export class Zone {
  readonly apex: WireName
  readonly #nodes = new Map<WireName, ZoneNode>()
  readonly #mname: string
  readonly #nowSeconds: () => number
  #serial = 0

  constructor(options: ZoneOptions) {
    this.apex = toWireName(options.apex)
    this.#mname = options.nameservers[0] ?? options.apex
    this.#nowSeconds = options.nowSeconds
    this.put(options.apex, nameserverTtlSeconds, { type: 'NS', values: options.nameservers })
  }

  get serial(): number {
    return this.#serial
  }

  /** Sets all records of one type at a name of this zone. */
  put(name: string, ttlSeconds: number, record: RecordData): void {
    this.#node(this.#ownName(name)).sets.set(recordTypes[record.type], recordSet(ttlSeconds, record))
    this.#changed()
  }

  /** Removes all records of one type at a name; a name that is left with nothing ceases to exist. */
  remove(name: string, type: RecordData['type']): void {
    const at = this.#ownName(name)
    if (this.#nodes.get(at)?.sets.delete(recordTypes[type]) !== true) return
    this.#prune(at)
    this.#changed()
  }

  /** Makes a name exist for good, so that no wildcard above it reaches below it. */
  keepName(name: string): void {
    this.#node(this.#ownName(name)).below += 1
  }

  /** The records at a name, by type; undefined when it does not exist. Wildcards and delegations are the caller's. */
  recordsAt(name: WireName): ReadonlyMap<number, RecordSet> | undefined {
    return this.#nodes.get(name)?.sets
  }

  /** The SOA for an answer that says "no": its TTL bounds how long that is remembered (RFC 2308 3). */
  negativeSoa(): RecordSet {
    const soa = this.#soa()
    return { ...soa, ttlSeconds: Math.min(soa.ttlSeconds, negativeTtlSeconds) }
  }

  #soa(): RecordSet {
    const soa = this.#nodes.get(this.apex)?.sets.get(recordTypes.SOA)
    if (soa === undefined) throw new Error(`zone ${toText(this.apex)} has no SOA`)
    return soa
  }

  #ownName(text: string): WireName {
    const name = toWireName(text)
    if (!isWithin(name, this.apex)) throw new RangeError(`${text} is not in the zone ${toText(this.apex)}`)
    return name
  }

  #node(name: WireName): ZoneNode {
    const existing = this.#nodes.get(name)
    if (existing !== undefined) return existing
    if (name !== this.apex) this.#node(parentOf(name)).below += 1
    const created: ZoneNode = { sets: new Map(), below: 0 }
    this.#nodes.set(name, created)
    return created
  }

  #prune(name: WireName): void {
    const node = this.#nodes.get(name)
    if (node === undefined || node.sets.size > 0 || node.below > 0) return
    this.#nodes.delete(name)
    const parent = parentOf(name)
    this.#node(parent).below -= 1
    this.#prune(parent)
  }

  /** Serials only grow (RFC 1982), also over a restart, because they follow the clock. */
  #changed(): void {
    this.#serial = Math.max(this.#serial + 1, Math.floor(this.#nowSeconds()))
    const soa: RecordData = {
      type: 'SOA',
      values: [{ mname: this.#mname, rname: `hostmaster.${toText(this.apex)}`, serial: this.#serial }],
    }
    this.#node(this.apex).sets.set(recordTypes.SOA, recordSet(soaTtlSeconds, soa))
  }
}
