import type { KeyObject } from 'node:crypto'
import { type CreateOf, ServiceError, type TlsCertificate, tlsCertificateModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { certificateFacts } from './certificate-facts.ts'
import { checkChainOrder, checkUsable, readCertificates, readPrivateKey } from './pem.ts'

/** The sealed private key of a certificate. */
export const privateKeySecret = 'private_key_pem'

export type TlsCertificateBody = Omit<TlsCertificate, 'id' | 'uri' | 'created_at'>

export const tlsCertificates = defineResource<typeof tlsCertificateModel, TlsCertificateBody>({
  model: tlsCertificateModel,
  create: (input) => draftCertificate(input, null),
  reply: ({ body }) => body,
  inUse: 'certificate_in_use',
})

/** Checks a certificate with its key and takes down what replies show of it. `issuedAt` is for those obtained automatically. */
export function draftCertificate(
  { certificate_pem, private_key_pem, ...texts }: CertificateInput,
  issuedAt: string | null,
) {
  const chain = readCertificates(certificate_pem, 'certificate_pem')
  const key = readPrivateKey(private_key_pem, chain[0])
  checkChainOrder(chain)
  checkUsable(certificate_pem, private_key_pem)
  const private_key_type = keyType(key)
  return {
    body: { ...texts, certificate_pem, ...certificateFacts(chain[0]), issued_at: issuedAt, private_key_type },
    secrets: { [privateKeySecret]: private_key_pem },
  }
}

type CertificateInput = CreateOf<typeof tlsCertificateModel>

const keyTypes: Readonly<Record<string, TlsCertificate['private_key_type']>> = {
  rsa: 'rsa',
  'rsa-pss': 'rsa',
  ec: 'ecdsa',
  ed25519: 'ed25519',
}

function keyType({ asymmetricKeyType }: KeyObject): TlsCertificate['private_key_type'] {
  const type = keyTypes[asymmetricKeyType ?? '']
  if (type === undefined) throw new ServiceError('private_key_unknown')
  return type
}
