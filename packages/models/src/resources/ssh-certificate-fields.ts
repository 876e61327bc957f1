import { Type } from 'typebox'
import { Time, described } from './fields.ts'

export const sshPrincipalsMax = 256

/** What a caller may say about any SSH certificate. */
export const sshCertificateInput = {
  ...described,
  ssh_certificate_authority_id: Type.String(),
  public_key: Type.String({ description: 'The line of a .pub file.' }),
  principals: Type.Optional(Type.Array(Type.String(), { maxItems: sshPrincipalsMax })),
  valid_after: Type.Optional(
    Type.String({ description: 'RFC 3339; now, when it is left out.', examples: ['2026-01-31T12:00:00Z'] }),
  ),
  valid_until: Type.Optional(
    Type.String({
      description: 'RFC 3339; the first moment at which it is no longer valid.',
      examples: ['2027-01-31T12:00:00Z'],
    }),
  ),
}

export const sshCertificateReply = {
  ...described,
  public_key: Type.String(),
  key_type: Type.String({ description: '`rsa`, `ecdsa` or `ed25519`.' }),
  ssh_certificate_authority_id: Type.String(),
  principals: Type.Array(Type.String()),
  valid_after: Time,
  valid_until: Time,
  certificate: Type.String({ description: 'The line of a -cert.pub file.' }),
}
