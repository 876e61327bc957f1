import { defineErrors } from './definition.ts'

/** SSH certificate authorities and the certificates that they sign. */
export const sshErrors = defineErrors({
  ssh_public_key_unparsable: {
    code: 1934,
    status: 400,
    owner: 'caller',
    msg: 'The field public_key is not an OpenSSH public key: {problem}.',
  },
  ssh_key_type_unsupported: { code: 1936, status: 400, owner: 'caller', msg: 'The field {field} {problem}.' },
  ssh_authority_description_too_long: tooLong(1937),
  ssh_authority_metadata_too_long: tooLong(1938),
  ssh_key_size_unsupported: {
    code: 1939,
    status: 400,
    owner: 'caller',
    msg: 'The field key_size must be 2048 or 4096.',
  },
  ssh_key_size_unexpected: {
    code: 1940,
    status: 400,
    owner: 'caller',
    msg: 'The field key_size only goes with the private_key_type rsa. Leave it out.',
  },
  ssh_curve_unsupported: { code: 1941, status: 400, owner: 'caller', msg: 'The field {field} {problem}.' },
  ssh_curve_unexpected: {
    code: 1942,
    status: 400,
    owner: 'caller',
    msg: 'The field elliptic_curve only goes with the private_key_type ecdsa. Leave it out.',
  },
  ssh_host_certificate_description_too_long: tooLong(1945),
  ssh_host_certificate_metadata_too_long: tooLong(1946),
  ssh_user_certificate_description_too_long: tooLong(1947),
  ssh_user_certificate_metadata_too_long: tooLong(1948),
  ssh_host_authority_missing: authorityMissing(1949),
  ssh_public_key_unsupported: {
    code: 1950,
    status: 400,
    owner: 'caller',
    msg: 'The field public_key holds a key that cannot be certified: {problem}.',
  },
  ssh_user_authority_missing: authorityMissing(1951),
  ssh_public_key_missing: {
    code: 1952,
    status: 400,
    owner: 'caller',
    msg: 'The field public_key is missing or empty. Send the content of a .pub file.',
  },
  ssh_user_validity_empty: validityEmpty(1962),
  ssh_host_validity_empty: validityEmpty(1963),
  ssh_authority_in_use: {
    code: 1964,
    status: 400,
    owner: 'caller',
    msg: 'The {title} {id} still has certificates that it signed ({dependents}). Delete those first.',
  },
})

function tooLong<const C extends number>(code: C) {
  return { code, status: 400, owner: 'caller', msg: 'The field {field} {problem}. Shorten it.' } as const
}

function authorityMissing<const C extends number>(code: C) {
  return {
    code,
    status: 400,
    owner: 'caller',
    msg: 'The field {field} refers to {id}, which is no SSH certificate authority of this account.',
  } as const
}

function validityEmpty<const C extends number>(code: C) {
  return {
    code,
    status: 400,
    owner: 'caller',
    msg: 'The certificate would never be valid: valid_until must be later than valid_after.',
  } as const
}
