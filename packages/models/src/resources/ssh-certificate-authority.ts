import { Type } from 'typebox'
import { described } from './fields.ts'
import { type ReplyOf, defineModel } from './resource-model.ts'

/** How existing clients and OpenSSH call the curves. */
const EllipticCurve = Type.Enum(['p256', 'p384', 'p521', 'nistp256', 'nistp384', 'nistp521'])

/** Signs SSH certificates. Its private key never leaves the service. */
export const sshCertificateAuthorityModel = defineModel({
  name: 'SSHCertificateAuthority',
  title: 'SSH certificate authority',
  path: '/ssh_certificate_authorities',
  prefix: 'sshca',
  listKey: 'ssh_certificate_authorities',
  create: {
    ...described,
    private_key_type: Type.Optional(Type.Enum(['ed25519', 'ecdsa', 'rsa'])),
    elliptic_curve: Type.Optional(EllipticCurve),
    key_size: Type.Optional(Type.Integer({ description: 'Bits of an RSA key, 2048 or 4096.' })),
  },
  update: described,
  reply: { ...described, public_key: Type.String(), key_type: Type.String() },
  fieldErrors: {
    'description:x-maxBytes': 'ssh_authority_description_too_long',
    'metadata:x-maxBytes': 'ssh_authority_metadata_too_long',
    'private_key_type:enum': 'ssh_key_type_unsupported',
    'elliptic_curve:enum': 'ssh_curve_unsupported',
  },
  refusals: ['ssh_curve_unexpected', 'ssh_key_size_unexpected', 'ssh_key_size_unsupported'],
})
export type SshCertificateAuthority = ReplyOf<typeof sshCertificateAuthorityModel>
