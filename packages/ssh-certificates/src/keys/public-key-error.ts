/** What an API answers: nothing was given, it is no public key, or a key of a kind that gets no certificate. */
export type MistakeKind = 'missing' | 'unparsable' | 'unsupported'

interface MistakeRow {
  readonly kind: MistakeKind
  readonly text: string
}

const mistakes = {
  missing: { kind: 'missing', text: 'it is empty' },
  too_long: { kind: 'unparsable', text: 'it is longer than 16384 bytes' },
  private_key: {
    kind: 'unparsable',
    text: 'it is a private key, which must never leave its machine; send the .pub file',
  },
  pem: { kind: 'unparsable', text: 'it is in PEM or RFC 4716 format; convert it with ssh-keygen -i' },
  several_lines: { kind: 'unparsable', text: 'it has more than one line; send one key' },
  control_character: { kind: 'unparsable', text: 'it contains a control character' },
  option_prefix: { kind: 'unparsable', text: 'something precedes the key type; send only type, base64 and comment' },
  no_key_type: { kind: 'unparsable', text: 'it does not begin with a key type such as ssh-ed25519' },
  no_key_data: { kind: 'unparsable', text: 'no base64 data follows the key type' },
  bad_base64: { kind: 'unparsable', text: 'its data is not canonical base64' },
  truncated: { kind: 'unparsable', text: 'its data ends early' },
  type_mismatch: { kind: 'unparsable', text: 'its data is a key of another type than its first word says' },
  trailing_bytes: { kind: 'unparsable', text: 'its data goes on after the end of the key' },
  rsa_number: { kind: 'unparsable', text: 'its RSA modulus or exponent is not a valid number' },
  ed25519_length: { kind: 'unparsable', text: 'an Ed25519 key has exactly 32 bytes' },
  curve_mismatch: { kind: 'unparsable', text: 'its data names another curve than its first word says' },
  point_format: { kind: 'unparsable', text: 'its curve point is not in uncompressed form' },
  point_off_curve: { kind: 'unparsable', text: 'its point is not on the curve' },
  certificate: { kind: 'unsupported', text: 'a certificate cannot be certified again; send the plain public key' },
  hardware_key: { kind: 'unsupported', text: 'security key (sk-) types cannot be certified' },
  dsa: { kind: 'unsupported', text: 'DSA keys are no longer secure' },
  unknown_type: {
    kind: 'unsupported',
    text: 'its type is unknown; use ssh-ed25519, ecdsa-sha2-nistp256, -384, -521 or ssh-rsa',
  },
  rsa_too_small: { kind: 'unsupported', text: 'an RSA key needs at least 2048 bits' },
  rsa_too_large: { kind: 'unsupported', text: 'an RSA key may have at most 16384 bits' },
} as const satisfies Record<string, MistakeRow>

export type PublicKeyMistake = keyof typeof mistakes

/** Why a text was not taken as a public key. Neither the message nor any field contains the text itself. */
export class PublicKeyError extends Error {
  override readonly name = 'PublicKeyError'
  readonly mistake: PublicKeyMistake
  readonly kind: MistakeKind

  constructor(mistake: PublicKeyMistake) {
    super(mistakes[mistake].text)
    this.mistake = mistake
    this.kind = mistakes[mistake].kind
  }
}
