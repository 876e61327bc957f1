import type { KeyObject } from 'node:crypto'
import { type SshCertificateAuthority, sshCertificateAuthorityModel } from '@tunnel/models'
import { formatPublicKey, publicKeyOf } from '@tunnel/ssh-certificates'
import { defineResource } from '../kernel/definition.ts'
import type { KeyGenerator } from './key-generator.ts'
import { readKeyKind } from './key-kind.ts'

export type SshAuthorityBody = Omit<SshCertificateAuthority, 'id' | 'uri' | 'created_at'>

/** The sealed secret that holds the private key: PKCS#8 DER in base64. */
export const privateKeySecret = 'private_key'

export function sshCertificateAuthorities(keys: KeyGenerator) {
  return defineResource<typeof sshCertificateAuthorityModel, SshAuthorityBody>({
    model: sshCertificateAuthorityModel,
    create: async ({ private_key_type, elliptic_curve, key_size, ...texts }) => {
      const kind = readKeyKind({ private_key_type, elliptic_curve, key_size })
      const privateKey = await keys.privateKey(kind)
      const body = { ...texts, public_key: formatPublicKey(publicKeyOf(privateKey)), key_type: kind.type }
      return { body, secrets: { [privateKeySecret]: encode(privateKey) } }
    },
    reply: ({ body }) => body,
    inUse: 'ssh_authority_in_use',
  })
}

function encode(privateKey: KeyObject): string {
  return privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
}
