import { type CreateOf, ServiceError, type sshCertificateAuthorityModel } from '@tunnel/models'

/** Which private key an authority gets. Curves have the names that node:crypto gives them. */
export type KeyKind =
  | { readonly type: 'ed25519' }
  | { readonly type: 'ecdsa'; readonly namedCurve: string }
  | { readonly type: 'rsa'; readonly modulusLength: number }

type KeyChoice = Pick<CreateOf<typeof sshCertificateAuthorityModel>, 'private_key_type' | 'elliptic_curve' | 'key_size'>

const defaultKeySize = 2048
const keySizes = [2048, 4096]

/** Throws for a size or curve that does not exist, or that the type does not have. */
export function readKeyKind({ private_key_type: type = 'ed25519', elliptic_curve, key_size }: KeyChoice): KeyKind {
  if (key_size !== undefined && type !== 'rsa') throw new ServiceError('ssh_key_size_unexpected')
  if (elliptic_curve !== undefined && type !== 'ecdsa') throw new ServiceError('ssh_curve_unexpected')
  if (type === 'ecdsa') return { type, namedCurve: (elliptic_curve ?? 'p256').replace(/^(nist)?p/, 'P-') }
  if (type === 'ed25519') return { type }
  const modulusLength = key_size ?? defaultKeySize
  if (!keySizes.includes(modulusLength)) throw new ServiceError('ssh_key_size_unsupported')
  return { type, modulusLength }
}
