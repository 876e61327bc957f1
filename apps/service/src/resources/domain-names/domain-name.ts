import { ServiceError } from '@tunnel/models'

const nameCharactersMax = 253
const labelCharactersMax = 63

/** Top-level names that no public resolver leads anywhere (RFC 2606, 6761, 6762, 7686, 9476, and ICANN's `internal`). */
const unreachableTlds = new Set(['alt', 'home', 'internal', 'invalid', 'lan', 'local', 'onion'])

/** Reads a domain name, in lower case and without a final dot. `*` may stand as its first label. Throws `ServiceError`. */
export function readDomain(text: string): string {
  const domain = text.toLowerCase().replace(/\.$/, '')
  const reason =
    nameProblem(domain) ??
    domain
      .split('.')
      .map(labelProblem)
      .find((problem) => problem !== null) ??
    null
  if (reason !== null) throw new ServiceError(reason, { domain: domain.slice(0, nameCharactersMax) })
  return domain
}

type NameProblem =
  | 'domain_character_invalid'
  | 'domain_dashes_reserved'
  | 'domain_label_empty'
  | 'domain_label_end'
  | 'domain_label_start'
  | 'domain_label_too_long'
  | 'domain_not_public'
  | 'domain_not_qualified'
  | 'domain_too_long'
  | 'domain_underscore'
  | 'domain_wildcard_inside'
  | 'domain_wildcard_too_broad'

function nameProblem(domain: string): NameProblem | null {
  const labels = domain.split('.')
  if (domain.length > nameCharactersMax) return 'domain_too_long'
  if (domain.includes('_')) return 'domain_underscore'
  if (!/^[a-z0-9.*-]*$/.test(domain)) return 'domain_character_invalid'
  if (domain.replace(/^\*\./, '').includes('*')) return 'domain_wildcard_inside'
  if (labels.includes('')) return 'domain_label_empty'
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '')) return 'domain_not_qualified'
  if (unreachableTlds.has(labels.at(-1) ?? '')) return 'domain_not_public'
  return labels[0] === '*' && labels.length < 3 ? 'domain_wildcard_too_broad' : null
}

function labelProblem(label: string): NameProblem | null {
  if (label.length > labelCharactersMax) return 'domain_label_too_long'
  if (label.startsWith('-')) return 'domain_label_start'
  if (label.endsWith('-')) return 'domain_label_end'
  return label.slice(2, 4) === '--' && !label.startsWith('xn--') ? 'domain_dashes_reserved' : null
}
