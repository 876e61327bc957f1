import { defineErrors } from './definition.ts'

/** TLS certificates and certificate authorities. */
export const certificateErrors = defineErrors({
  certificate_unparsable: {
    code: 1900,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds a certificate that cannot be read. Export it again as PEM.',
  },
  private_key_missing: {
    code: 1901,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Send the private key of the certificate as PEM.',
  },
  private_key_encrypted: {
    code: 1902,
    status: 400,
    owner: 'caller',
    msg: 'The private key is encrypted. Decrypt it before it is uploaded; it is encrypted at rest here.',
  },
  private_key_unknown: {
    code: 1903,
    status: 400,
    owner: 'caller',
    msg: 'The private key cannot be read. Send an RSA, ECDSA or Ed25519 key as PEM.',
  },
  certificate_unusable: {
    code: 1904,
    status: 400,
    owner: 'caller',
    msg: 'TLS does not accept the certificate, mostly because a key in it is too weak. Send one with ECDSA, Ed25519, or RSA of 2048 bits or more.',
  },
  managed_certificate_authority_invalid: {
    code: 1908,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}.',
  },
  managed_certificate_key_type_invalid: {
    code: 1909,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}.',
  },
  pem_of_other_type: {
    code: 1911,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds a PEM block of type {type}. Send blocks of type CERTIFICATE.',
  },
  certificates_too_many: {
    code: 1912,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds {count} certificates. Send one.',
  },
  certificate_not_authority: {
    code: 1913,
    status: 400,
    owner: 'caller',
    msg: 'The certificate is not one of an authority: its Basic Constraints do not say CA. Send the certificate of the authority itself.',
  },
  tls_certificate_description_too_long: {
    code: 1914,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the description.',
  },
  certificate_authority_description_too_long: {
    code: 1915,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the description.',
  },
  tls_certificate_metadata_too_long: {
    code: 1916,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the metadata.',
  },
  certificate_authority_metadata_too_long: {
    code: 1917,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Shorten the metadata.',
  },
  certificate_pem_missing: {
    code: 1919,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Send the certificate as PEM.',
  },
  certificate_not_pem: {
    code: 1920,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} is not PEM. Send text that begins with -----BEGIN CERTIFICATE-----.',
  },
  certificate_too_large: {
    code: 1921,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} {problem}. Send the leaf and its intermediates only.',
  },
  private_key_mismatch: {
    code: 1923,
    status: 400,
    owner: 'caller',
    msg: 'The private key does not belong to the certificate. Send the pair that was made together.',
  },
  private_key_is_certificate: {
    code: 1924,
    status: 400,
    owner: 'caller',
    msg: 'The field private_key_pem holds a certificate. Send the private key.',
  },
  certificate_is_private_key: {
    code: 1925,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} holds a private key. Send the certificate.',
  },
  certificate_chain_order: {
    code: 1926,
    status: 400,
    owner: 'caller',
    msg: 'The chain is not in issuing order. Put the leaf first, then each certificate that signed the one before it.',
  },
  certificate_missing: {
    code: 1965,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} refers to the certificate {id}, which does not exist in this account.',
  },
  certificate_in_use: {
    code: 1966,
    status: 400,
    owner: 'caller',
    msg: 'The certificate {id} is still used by {dependents}. Detach it there first.',
  },
})
