import {
  ServiceError,
  type SshUserCertificate,
  sshCertificateAuthorityModel,
  sshUserCertificateModel,
} from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { type Reference, referenceTo } from '../kernel/references.ts'
import type { SshSigners } from '../ssh-certificate-authorities/ssh-signers.ts'
import { signCertificate } from '../ssh-certificates/certificate-body.ts'
import { revocationOf } from '../ssh-certificates/revocations.ts'
import { readValidity } from '../ssh-certificates/validity.ts'
import { checkOptions } from './options.ts'

const dayMs = 24 * 3600 * 1000
const defaultExtensions = { 'permit-pty': '', 'permit-user-rc': '' }

type SshUserCertificateBody = Omit<SshUserCertificate, 'id' | 'uri' | 'created_at'>

export function sshUserCertificates(signers: SshSigners) {
  return defineResource<typeof sshUserCertificateModel, SshUserCertificateBody>({
    model: sshUserCertificateModel,
    create: async ({ critical_options = {}, extensions = defaultExtensions, ...input }, call) => {
      const authority = await signers.signerFor(authorityOf(input), call)
      const principals = input.principals ?? []
      principals.forEach(checkPrincipal)
      const validity = readValidity(input, call.now, (now) => now + dayMs, 'ssh_user_validity_empty')
      checkOptions('critical_options', critical_options)
      checkOptions('extensions', extensions)
      const options = { criticalOptions: critical_options, extensions }
      const order = { type: 'user', id: call.id, input, principals, validity, ...options } as const
      return { body: { ...signCertificate(order, authority), critical_options, extensions } }
    },
    references: (body) => [authorityOf(body)],
    remains: revocationOf,
    reply: ({ body }) => body,
  })
}

function authorityOf(body: Pick<SshUserCertificateBody, 'ssh_certificate_authority_id'>): Reference {
  const id = body.ssh_certificate_authority_id
  return referenceTo('ssh_certificate_authority_id', id, [sshCertificateAuthorityModel], 'ssh_user_authority_missing')
}

/** A user name that a server could compare with: what an `authorized_principals` file can hold. */
function checkPrincipal(text: string, index: number): void {
  if (/^[^\s,\p{Cc}]+$/u.test(text) && Buffer.byteLength(text) <= 255) return
  const problem = 'must be a user name of 1 to 255 bytes without blanks, commas and control characters'
  throw new ServiceError('field_invalid', { field: `principals.${index}`, problem })
}
