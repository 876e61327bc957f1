import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { ServiceError } from '@tunnel/models'

/** The certificates of a PEM text, in their order. `field` is named in errors. */
export function readCertificates(pem: string, field: string): [X509Certificate, ...X509Certificate[]] {
  const types = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map((match) => match[1] ?? '')
  if (types.length === 0) throw new ServiceError('certificate_not_pem', { field })
  const other = types.find((type) => type !== 'CERTIFICATE')
  if (other?.endsWith('PRIVATE KEY') === true) throw new ServiceError('certificate_is_private_key', { field })
  if (other !== undefined) throw new ServiceError('pem_of_other_type', { field, type: other.slice(0, 40) })
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  const [first, ...rest] = blocks.map((block) => parseCertificate(block, field))
  if (first === undefined || blocks.length !== types.length) throw new ServiceError('certificate_unparsable', { field })
  return [first, ...rest]
}

/** Throws unless each certificate is issued and signed by the one after it. */
export function checkChainOrder(chain: readonly X509Certificate[]): void {
  for (const [index, certificate] of chain.slice(0, -1).entries()) {
    const issuer = chain[index + 1]
    if (issuer !== undefined && !(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
      throw new ServiceError('certificate_chain_order')
  }
}

/** The private key of a certificate. */
export function readPrivateKey(pem: string, certificate: X509Certificate): KeyObject {
  if (pem.includes('-----BEGIN CERTIFICATE-----')) throw new ServiceError('private_key_is_certificate')
  if (/ENCRYPTED/.test(pem)) throw new ServiceError('private_key_encrypted')
  const key = parsePrivateKey(pem)
  if (!certificate.checkPrivateKey(key)) throw new ServiceError('private_key_mismatch')
  return key
}

/** Throws unless a handshake can be made with it: better now than at the first visitor. */
export function checkUsable(chainPem: string, privateKeyPem: string): void {
  try {
    createSecureContext({ cert: chainPem, key: privateKeyPem })
  } catch (error) {
    throw new ServiceError('certificate_unusable', {}, { cause: error })
  }
}

function parseCertificate(block: string, field: string): X509Certificate {
  try {
    return new X509Certificate(block)
  } catch (error) {
    throw new ServiceError('certificate_unparsable', { field }, { cause: error })
  }
}

function parsePrivateKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new ServiceError('private_key_unknown', {}, { cause: error })
  }
}
