import { AuthorityKeyIdentifierExtension, X509Certificate } from '../x509.ts'

/** When the authority suggests to renew (RFC 9773 4.2), and when to ask again. */
export interface RenewalInfo {
  readonly startMs: number
  readonly endMs: number
  readonly askAgainInMs: number
}

const askAgainDefaultMs = 6 * 3_600_000
const askAgainMinMs = 60_000
const askAgainMaxMs = 86_400_000

/** `keyIdentifier.serial` (RFC 9773 4.1); null for a certificate that does not name its issuer's key. */
export function renewalId(certificatePem: string): string | null {
  const certificate = new X509Certificate(certificatePem)
  const keyId = certificate.getExtension(AuthorityKeyIdentifierExtension)?.keyId
  if (keyId === undefined) return null
  const parts = [Buffer.from(keyId, 'hex'), derInteger(certificate.serialNumber)]
  return parts.map((octets) => octets.toString('base64url')).join('.')
}

/** A DER integer whose first bit is set starts with a zero octet, which hexadecimal forms of a serial leave out. */
function derInteger(hex: string): Buffer {
  const octets = Buffer.from(hex, 'hex')
  return (octets[0] ?? 0) < 0x80 ? octets : Buffer.concat([Buffer.of(0), octets])
}

/** Null when the answer is not a window. */
export function readRenewalInfo(body: unknown, retryAfterMs: number | null): RenewalInfo | null {
  const { suggestedWindow } = (body ?? {}) as { suggestedWindow?: { start?: unknown; end?: unknown } }
  const [startMs, endMs] = [suggestedWindow?.start, suggestedWindow?.end].map((time) => Date.parse(String(time)))
  if (startMs === undefined || endMs === undefined || !(startMs <= endMs)) return null
  const askAgainInMs = Math.min(askAgainMaxMs, Math.max(askAgainMinMs, retryAfterMs ?? askAgainDefaultMs))
  return { startMs, endMs, askAgainInMs }
}
