import { type TlsTerms, usualTerms } from '../edge/tls-terms.ts'
import type { StoredAuthority, StoredTlsModules } from './edge-sources.ts'
import type { MirroredItem } from './mirror.ts'

/** Finds an authority in memory; it is there as long as a module names it. */
export interface Authorities {
  get(id: string): MirroredItem<StoredAuthority> | undefined
}

/** What an HTTPS edge asks of the TLS of its visitors. */
export function tlsTermsOf(edgeId: string, modules: StoredTlsModules, authorities: Authorities): TlsTerms {
  const { mutual_tls: mutual, tls_termination: termination } = modules
  const isNewest = termination?.enabled === true && termination.min_version === '1.3'
  if (mutual?.enabled !== true) return isNewest ? { ...usualTerms, minVersion: 'TLSv1.3' } : usualTerms
  const trusted = mutual.certificate_authority_ids.flatMap((id) => authorities.get(id) ?? [])
  return {
    minVersion: isNewest ? 'TLSv1.3' : 'TLSv1.2',
    clients: {
      key: `${edgeId} ${trusted.map(({ id }) => id).join(' ')}`,
      authoritiesPem: trusted.map(({ body }) => body.ca_pem),
    },
  }
}

/** How TLS ends at a TLS edge. Null: it does not. */
export function terminationOf(edgeId: string, modules: StoredTlsModules, authorities: Authorities): TlsTerms | null {
  return endsHere(modules) ? tlsTermsOf(edgeId, modules, authorities) : null
}

/** Visitors have to show a certificate, and nobody is there to ask them for it. */
export function isUnverifiable(modules: StoredTlsModules): boolean {
  return modules.mutual_tls?.enabled === true && !endsHere(modules)
}

function endsHere({ tls_termination: termination }: StoredTlsModules): boolean {
  return termination?.enabled === true && (termination.terminate_at ?? 'edge') === 'edge'
}
