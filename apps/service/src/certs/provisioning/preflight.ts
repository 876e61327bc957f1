import { type CaaRecord, caaPermits } from './caa.ts'
import { DnsProblem } from './failure.ts'
import type { CertificateSubject, DnsRequirement, WantedCertificate } from './subject.ts'

/** Public DNS as resolvers see it. "Not there" is an empty list; a failed lookup throws. */
export interface NameLookup {
  aliasesOf(name: string): Promise<readonly string[]>
  caaOf(name: string): Promise<readonly CaaRecord[]>
  /** The NS records that the parent zone holds for a domain, asked at the parent itself. */
  delegationOf(domain: string): Promise<readonly string[]>
}

/** For the CAA records of one name and of all names above it, which may be a hundred with slow servers. */
const caaWithinMs = 10_000

/** By what CAA records may name the authority and our account there. */
export interface AuthorityIdentity {
  readonly identities: readonly string[]
  /** Null when it is not known: then records are taken to name it. */
  readonly accountUrl: string | null
}

/** Throws `DnsProblem`, naming every record to correct, while any record that the subject needs is missing or wrong. */
export async function checkRequirements({ requirements }: CertificateSubject, lookup: NameLookup): Promise<void> {
  await refuseAny(requirements.map((requirement) => problemOf(requirement, lookup)))
}

/** Throws `DnsProblem` when CAA records forbid the authority to issue. An authority without identities is not restricted. */
export async function checkCaa(
  { names, proof }: WantedCertificate,
  identity: AuthorityIdentity,
  lookup: NameLookup,
): Promise<void> {
  const { identities, accountUrl } = identity
  if (identities.length === 0) return
  const problem = async (name: string): Promise<string | null> => {
    const isWildcard = name.startsWith('*.')
    const { at, records } = await closestCaa(name.replace(/^\*\./, ''), lookup)
    if (caaPermits(records, { identities, isWildcard, method: proof.type, accountUrl })) return null
    return `The CAA records for ${name} at ${at} do not allow ${identities[0]} to issue. Add there the CAA record 0 ${isWildcard ? 'issuewild' : 'issue'} "${identities[0]}".`
  }
  await refuseAny(names.map(problem))
}

async function refuseAny(checks: readonly Promise<string | null>[]): Promise<void> {
  const problems = (await Promise.all(checks)).filter((problem) => problem !== null)
  if (problems.length > 0) throw new DnsProblem([...new Set(problems)].join(' '))
}

function problemOf(requirement: DnsRequirement, lookup: NameLookup): Promise<string | null> {
  return requirement.kind === 'alias' ? aliasProblem(requirement, lookup) : delegationProblem(requirement, lookup)
}

async function aliasProblem(
  { name, target }: Extract<DnsRequirement, { kind: 'alias' }>,
  lookup: NameLookup,
): Promise<string | null> {
  const found = (await lookup.aliasesOf(name)).map(comparable)
  if (found.includes(comparable(target))) return null
  const now = found.length === 0 ? 'there is none' : `it points to ${found.join(', ')}`
  return `The CNAME record of ${name} must point to ${target}; ${now}.`
}

async function delegationProblem(
  { domain, nameservers }: Extract<DnsRequirement, { kind: 'delegation' }>,
  lookup: NameLookup,
): Promise<string | null> {
  const found = (await lookup.delegationOf(domain)).map(comparable).toSorted()
  const wanted = nameservers.map(comparable).toSorted()
  if (found.join() === wanted.join()) return null
  const now = found.length === 0 ? 'there are none' : `they are ${found.join(', ')}`
  return `The NS records of ${domain} in its parent zone must be exactly ${wanted.join(', ')}; ${now}.`
}

/** The records at the name or at its closest ancestor that has any (RFC 8659 3). */
async function closestCaa(
  name: string,
  lookup: NameLookup,
): Promise<{ readonly at: string; readonly records: readonly CaaRecord[] }> {
  const deadline = AbortSignal.timeout(caaWithinMs)
  for (let at = name; at !== ''; at = at.includes('.') ? at.slice(at.indexOf('.') + 1) : '') {
    deadline.throwIfAborted()
    const records = await lookup.caaOf(at)
    if (records.length > 0) return { at, records }
  }
  return { at: name, records: [] }
}

function comparable(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
