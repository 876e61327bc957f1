export interface CaaRecord {
  readonly isCritical: boolean
  readonly tag: string
  readonly value: string
}

export interface CaaQuestion {
  /** The domain names by which the authority recognises itself. */
  readonly identities: readonly string[]
  readonly isWildcard: boolean
  readonly method: 'dns-01' | 'http-01'
  /** Null: not known. */
  readonly accountUrl: string | null
}

const knownTags = new Set(['issue', 'issuewild', 'iodef', 'contactemail', 'contactphone', 'issuemail', 'issuevmc'])

/** Whether a set of CAA records lets the authority issue (RFC 8659 4, RFC 8657). An empty set does. */
export function caaPermits(records: readonly CaaRecord[], question: CaaQuestion): boolean {
  if (records.some(({ isCritical, tag }) => isCritical && !knownTags.has(tag))) return false
  const tagged = (wanted: string) => records.filter(({ tag }) => tag === wanted)
  const relevant = question.isWildcard && tagged('issuewild').length > 0 ? tagged('issuewild') : tagged('issue')
  return relevant.length === 0 || relevant.some(({ value }) => permits(value, question))
}

/** `authority.example; validationmethods=dns-01; accounturi=https://…` */
function permits(value: string, { identities, method, accountUrl }: CaaQuestion): boolean {
  const [issuer = '', ...parameters] = value.split(';').map((part) => part.trim())
  if (!identities.includes(issuer.toLowerCase())) return false
  const settings = new Map(parameters.filter((part) => part !== '').map((part) => splitOnce(part)))
  const methods = settings.get('validationmethods')
  const account = settings.get('accounturi')
  return (
    (methods === undefined || methods.split(',').includes(method)) &&
    (account === undefined || accountUrl === null || account === accountUrl)
  )
}

function splitOnce(parameter: string): [name: string, value: string] {
  const at = parameter.indexOf('=')
  return at < 0
    ? [parameter.toLowerCase(), '']
    : [parameter.slice(0, at).trim().toLowerCase(), parameter.slice(at + 1).trim()]
}
