import type { CertificateKeyType } from '../acme/certificate-key.ts'

/** A record at the customer's side without which no certificate is ordered. Names are dotted text without a final dot. */
export type DnsRequirement =
  | { readonly kind: 'alias'; readonly name: string; readonly target: string }
  /** The parent of `domain` lists exactly these name servers. */
  | { readonly kind: 'delegation'; readonly domain: string; readonly nameservers: readonly string[] }

/** How control of the names is proven: through our DNS, at the record that `recordOf` names, or over HTTP. */
export type ProofMethod =
  | { readonly type: 'dns-01'; readonly recordOf: (name: string) => string }
  | { readonly type: 'http-01' }

/** Something whose names need DNS records, and, when `certificate` is set, a managed certificate. */
export interface CertificateSubject {
  /** The id of the resource. */
  readonly id: string
  /** Whose orders are counted together; null: the service's own. */
  readonly accountId: string | null
  readonly requirements: readonly DnsRequirement[]
  /** Null: automatic management is off. */
  readonly certificate: WantedCertificate | null
}

export interface WantedCertificate {
  readonly names: readonly string[]
  readonly keyType: CertificateKeyType
  readonly proof: ProofMethod
}

/** Whether a certificate over `names` with a key of `keyType` is what is wanted. */
export function isWanted(
  wanted: WantedCertificate,
  { names, keyType }: Pick<WantedCertificate, 'names' | 'keyType'>,
): boolean {
  return wanted.keyType === keyType && wanted.names.toSorted().join() === names.toSorted().join()
}
