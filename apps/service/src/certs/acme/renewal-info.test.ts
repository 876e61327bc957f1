import { webcrypto } from 'node:crypto'
import { expect, it } from 'vitest'
import { AuthorityKeyIdentifierExtension, X509CertificateGenerator } from '../x509.ts'
import { readRenewalInfo, renewalId } from './renewal-info.ts'

it('keeps the leading zero of a serial in the renewal id (the example of RFC 9773)', async () => {
  const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '0087654321',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new AuthorityKeyIdentifierExtension('69885b6b87464041e1b37b847ba0ae2cde01c8d4')],
  })
  expect(renewalId(certificate.toString('pem'))).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')
})

it('reads a window and bounds how soon and how late to ask again', () => {
  const body = { suggestedWindow: { start: '2026-01-02T04:00:00Z', end: '2026-01-03T04:00:00Z' } }
  const [startMs, endMs] = [Date.UTC(2026, 0, 2, 4), Date.UTC(2026, 0, 3, 4)]
  expect(readRenewalInfo(body, null)).toEqual({ startMs, endMs, askAgainInMs: 6 * 3_600_000 })
  expect(readRenewalInfo(body, 0)?.askAgainInMs).toBe(60_000)
  expect(readRenewalInfo(body, 1e12)?.askAgainInMs).toBe(86_400_000)
})

it.each([
  null,
  'text',
  {},
  { suggestedWindow: {} },
  { suggestedWindow: { start: '2026-02-01T00:00:00Z', end: '2026-01-01T00:00:00Z' } },
])('takes %j for no window', (body) => {
  expect(readRenewalInfo(body, null)).toBeNull()
})
