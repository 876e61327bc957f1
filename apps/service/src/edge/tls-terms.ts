/** What is asked of the TLS of visitors to a name. */
export interface TlsTerms {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  /** Null: visitors need no certificate. */
  readonly clients: ClientTrust | null
}

/** Whose certificates visitors must show. */
export interface ClientTrust {
  /** The same for the same authorities of the same edge: what a connection has proved counts for this and nothing else. */
  readonly key: string
  readonly authoritiesPem: readonly string[]
}

/** For names that ask for nothing special. */
export const usualTerms: TlsTerms = { minVersion: 'TLSv1.2', clients: null }

/** One text for terms that are the same. */
export function keyOfTerms({ minVersion, clients }: TlsTerms): string {
  return `${minVersion} ${clients?.key ?? ''}`
}
