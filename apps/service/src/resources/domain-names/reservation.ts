/** Domain reservations are found by their labels in reverse, so that everything below a name is one range. */
export const reservationKeyName = 'reserved_domain'

/** `com.example.app` for `app.example.com`. */
export function reservationKey(domain: string): string {
  return domain.split('.').reverse().join('.')
}

/** The range of keys of all names below `domain`; `/` is the character after the dot. */
export function keysBelow(domain: string): { from: string; to: string } {
  const key = reservationKey(domain)
  return { from: `${key}.`, to: `${key}/` }
}

/** The wildcards that cover a name, the nearest first: `*.b.example.com`, `*.example.com` for `a.b.example.com`. */
export function coveringWildcards(domain: string): string[] {
  const labels = domain.replace(/^\*\./, '').split('.')
  const first = domain.startsWith('*.') ? 0 : 1
  return labels.slice(first, -1).map((_, index) => `*.${labels.slice(first + index).join('.')}`)
}
