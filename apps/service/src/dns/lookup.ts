import { recordTypes, responseCodes } from './protocol.ts'
import { type RecordSet, recordSet } from './record-set.ts'
import { parentOf, wildcardBelow, type WireName } from './wire-name.ts'
import type { Zone } from './zone.ts'
import type { ZoneTable } from './zone-table.ts'

export interface OwnedSet {
  readonly owner: WireName
  readonly set: RecordSet
}

/** What a response says, before it is encoded. */
export interface Answer {
  readonly code: number
  readonly isAuthoritative: boolean
  readonly answers: readonly OwnedSet[]
  readonly authority: readonly OwnedSet[]
  readonly additional: readonly OwnedSet[]
}

const aliasesMax = 8
const anyTtlSeconds = 3_600
/** The answer to type ANY (RFC 8482 4.2): small, so that it is no use for amplification. */
const anyAnswer = recordSet(anyTtlSeconds, { type: 'HINFO', values: [{ cpu: 'RFC8482', os: '' }] })

/** Answers a question of class IN from our zones (RFC 1034 4.3.2), following aliases from one of our zones into another. */
export function lookUp(zones: ZoneTable, name: WireName, type: number): Answer {
  const zone = zones.find(name)
  if (zone === undefined) return refused
  const answers: OwnedSet[] = []
  return answerFrom({ zones, type, answers }, zone, name)
}

export const refused: Answer = {
  code: responseCodes.refused,
  isAuthoritative: false,
  answers: [],
  authority: [],
  additional: [],
}

interface Search {
  readonly zones: ZoneTable
  readonly type: number
  readonly answers: OwnedSet[]
}

function answerFrom(search: Search, zone: Zone, name: WireName): Answer {
  const delegation = findDelegation(zone, name)
  if (delegation !== undefined) return referral(search, delegation)
  const records = recordsFor(zone, name)
  if (records === undefined) return negative(search, zone, responseCodes.nameError)
  const wanted = search.type === recordTypes.ANY ? anyAnswer : records.get(search.type)
  if (wanted !== undefined) return positive(search, { owner: name, set: wanted })
  const alias = records.get(recordTypes.CNAME)
  return alias === undefined ? negative(search, zone, responseCodes.noError) : follow(search, name, alias)
}

function follow(search: Search, owner: WireName, set: RecordSet): Answer {
  search.answers.push({ owner, set })
  const [target] = set.targets
  const zone = target === undefined ? undefined : search.zones.find(target)
  if (target === undefined || zone === undefined || search.answers.length > aliasesMax) return complete(search)
  return answerFrom(search, zone, target)
}

function positive(search: Search, found: OwnedSet): Answer {
  search.answers.push(found)
  const nameservers = search.type === recordTypes.NS ? found.set.targets : []
  return { ...complete(search), additional: addressesOf(search.zones, nameservers) }
}

function complete({ answers }: Search): Answer {
  return { code: responseCodes.noError, isAuthoritative: true, answers, authority: [], additional: [] }
}

function negative(search: Search, zone: Zone, code: number): Answer {
  return { ...complete(search), code, authority: [{ owner: zone.apex, set: zone.negativeSoa() }] }
}

function referral(search: Search, delegation: OwnedSet): Answer {
  return {
    ...complete(search),
    isAuthoritative: search.answers.length > 0,
    authority: [delegation],
    additional: addressesOf(search.zones, delegation.set.targets),
  }
}

/** The NS records below the apex that take the name out of this zone; of several, those nearest to the apex. */
function findDelegation(zone: Zone, name: WireName): OwnedSet | undefined {
  let found: OwnedSet | undefined
  for (let at = name; at !== zone.apex; at = parentOf(at)) {
    const set = zone.recordsAt(at)?.get(recordTypes.NS)
    if (set !== undefined) found = { owner: at, set }
  }
  return found
}

/** The records at a name, or those of the wildcard at its closest existing ancestor (RFC 4592 3.3.1). */
function recordsFor(zone: Zone, name: WireName): ReadonlyMap<number, RecordSet> | undefined {
  const exact = zone.recordsAt(name)
  if (exact !== undefined) return exact
  for (let at = parentOf(name); ; at = parentOf(at))
    if (zone.recordsAt(at) !== undefined) return zone.recordsAt(wildcardBelow(at))
}

function addressesOf(zones: ZoneTable, names: readonly WireName[]): OwnedSet[] {
  return names.flatMap((owner) => {
    const zone = zones.find(owner)
    const records = zone === undefined ? undefined : recordsFor(zone, owner)
    const sets = [records?.get(recordTypes.A), records?.get(recordTypes.AAAA)]
    return sets.filter((set) => set !== undefined).map((set) => ({ owner, set }))
  })
}
