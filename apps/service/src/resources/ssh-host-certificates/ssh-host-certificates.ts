import { ServiceError, sshCertificateAuthorityModel, sshHostCertificateModel } from '@tunnel/models'
import { type HostPrincipalMistake, canonicalHostPrincipal } from '@tunnel/ssh-certificates'
import { defineResource } from '../kernel/definition.ts'
import { type Reference, referenceTo } from '../kernel/references.ts'
import type { SshSigners } from '../ssh-certificate-authorities/ssh-signers.ts'
import { type SshCertificateBody, signCertificate } from '../ssh-certificates/certificate-body.ts'
import { revocationOf } from '../ssh-certificates/revocations.ts'
import { oneYearLater, readValidity } from '../ssh-certificates/validity.ts'

/**
 * What a host certificate for every host holds: nothing, as OpenSSH before 10.3 wants it, or the wildcard `*` that
 * later versions need. No certificate is valid for every host with both.
 */
export type EmptyPrincipals = 'empty' | 'wildcard'

export function sshHostCertificates(signers: SshSigners, emptyPrincipals: EmptyPrincipals) {
  return defineResource<typeof sshHostCertificateModel, SshCertificateBody>({
    model: sshHostCertificateModel,
    create: async (input, call) => {
      const authority = await signers.signerFor(authorityOf(input), call)
      const principals = (input.principals ?? []).map(readPrincipal)
      const validity = readValidity(input, call.now, oneYearLater, 'ssh_host_validity_empty')
      const signedPrincipals = principals.length === 0 && emptyPrincipals === 'wildcard' ? ['*'] : principals
      const order = { type: 'host', id: call.id, input, principals, signedPrincipals, validity } as const
      return { body: signCertificate(order, authority) }
    },
    references: (body) => [authorityOf(body)],
    remains: revocationOf,
    reply: ({ body }) => body,
  })
}

function authorityOf(body: Pick<SshCertificateBody, 'ssh_certificate_authority_id'>): Reference {
  const id = body.ssh_certificate_authority_id
  return referenceTo('ssh_certificate_authority_id', id, [sshCertificateAuthorityModel], 'ssh_host_authority_missing')
}

const problems: Record<HostPrincipalMistake, string> = {
  empty: 'must not be empty',
  too_long: 'must be at most 255 bytes long',
  character: 'must be a host name or an IP address, without blanks, commas and other characters beyond ASCII',
  port: 'must be a host name or an IP address alone: certificates know no ports and no zones',
}

function readPrincipal(text: string, index: number): string {
  const read = canonicalHostPrincipal(text)
  if ('principal' in read) return read.principal
  throw new ServiceError('field_invalid', { field: `principals.${index}`, problem: problems[read.mistake] })
}
