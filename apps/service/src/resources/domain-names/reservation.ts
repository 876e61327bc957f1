import type { KeySpan } from '../../storage/guards.ts'

/** Reserved names are found by their labels in reverse, so that everything below a name is one range. */
export const reservationKeyName = 'reserved_domain'
/** So are the domains of agent ingresses. */
export const ingressKeyName = 'agent_ingress'

/** `com.example.app` for `app.example.com`. */
export function reservationKey(domain: string): string {
  return domain.split('.').reverse().join('.')
}

/** The range of keys of all names below `domain`; `/` is the character after the dot. */
function keysBelow(domain: string): { from: string; to: string } {
  const key = reservationKey(domain)
  return { from: `${key}.`, to: `${key}/` }
}

/** The wildcards that cover a name, the nearest first: `*.b.example.com`, `*.example.com` for `a.b.example.com`. */
export function coveringWildcards(domain: string): string[] {
  const above = domain.startsWith('*.') ? selfAndParents(domain.slice(2)) : selfAndParents(domain).slice(1)
  return above.map((name) => `*.${name}`)
}

/** What other accounts must leave alone beside a reserved name: wildcards over it, ingresses around it, and what it covers. */
export function besideDomain(domain: string): KeySpan[] {
  const isWildcard = domain.startsWith('*.')
  const base = isWildcard ? domain.slice(2) : domain
  const covered = isWildcard ? { range: keysBelow(base) } : {}
  return [
    { name: reservationKeyName, values: coveringWildcards(domain).map(reservationKey), ...covered },
    { name: ingressKeyName, values: selfAndParents(base).map(reservationKey), ...covered },
  ]
}

/** An ingress is told all names below its domain, so they are its account's alone, as if under a wildcard; and the domain. */
export function besideIngress(domain: string): KeySpan[] {
  return [...besideDomain(`*.${domain}`), { name: reservationKeyName, values: [reservationKey(domain)] }]
}

/** A name and those above it, down to two labels. */
function selfAndParents(name: string): string[] {
  const labels = name.split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}
