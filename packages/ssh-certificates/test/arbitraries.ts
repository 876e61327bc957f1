import * as fc from 'fast-check'
import { type CertificateContent, certificatePrincipalsMax } from '../src/index.ts'
import { keyNames, publicKeyNamed } from './keys.ts'

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0'))
const options = fc.dictionary(text, text, { maxKeys: 8 }).map((map) => ({ ...map }))
const validity = fc.uniqueArray(uint64, { minLength: 2, maxLength: 2 }).map((times) => times.sort(ascending))

/** Any content that a certificate can carry. */
export const certificateContents: fc.Arbitrary<CertificateContent> = fc
  .record({
    type: fc.constantFrom('user' as const, 'host' as const),
    publicKey: fc.constantFrom(...keyNames.map(publicKeyNamed)),
    serial: uint64,
    keyId: text,
    principals: fc.array(text, { maxLength: certificatePrincipalsMax, size: 'small' }),
    validity,
    criticalOptions: options,
    extensions: options,
  })
  .map(({ validity: [validAfter = 0n, validBefore = 1n], ...rest }) => ({ ...rest, validAfter, validBefore }))

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1
}
