import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import type { IssuedCertificate } from '../acme/issue.ts'
import { renewalId } from '../acme/renewal-info.ts'
import type { Validity } from './renewal-plan.ts'

export interface CheckedCertificate extends IssuedCertificate, Validity {
  readonly renewalId: string | null
}

/** Proves that what the authority delivered will serve these names, before it replaces anything. Throws when it will not. */
export function checkIssued(issued: IssuedCertificate, names: readonly string[], nowMs: number): CheckedCertificate {
  const leaf = new X509Certificate(issued.chainPem)
  // A context also accepts a key of another type than the certificate's, so both checks are needed.
  createSecureContext({ cert: issued.chainPem, key: issued.privateKeyPem })
  if (!leaf.checkPrivateKey(createPrivateKey(issued.privateKeyPem)))
    throw new Error('the certificate is for another key')
  const covered = new Set(leaf.subjectAltName?.split(', ').map((entry) => entry.replace(/^DNS:/, '').toLowerCase()))
  const missing = names.filter((name) => !covered.has(name))
  if (missing.length > 0) throw new Error(`the certificate lacks ${missing.join(', ')}`)
  const [notBeforeMs, notAfterMs] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()]
  if (notAfterMs <= nowMs) throw new Error('the certificate has expired')
  return { ...issued, notBeforeMs, notAfterMs, renewalId: renewalId(issued.chainPem) }
}
