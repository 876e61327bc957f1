import { Resource, type ResourceParts } from './kernel/resource.ts'
import { KeyGenerator } from './ssh-certificate-authorities/key-generator.ts'
import { sshCertificateAuthorities } from './ssh-certificate-authorities/ssh-certificate-authorities.ts'
import { SshSigners } from './ssh-certificate-authorities/ssh-signers.ts'
import { type EmptyPrincipals, sshHostCertificates } from './ssh-host-certificates/ssh-host-certificates.ts'
import { sshUserCertificates } from './ssh-user-certificates/ssh-user-certificates.ts'

/** The authorities that sign SSH certificates, and the certificates that they sign. */
export function createSshResources(parts: ResourceParts, emptyPrincipals: EmptyPrincipals) {
  const authorities = new Resource(sshCertificateAuthorities(new KeyGenerator()), parts)
  const signers = new SshSigners(authorities, parts.changes)
  return {
    sshCertificateAuthorities: authorities,
    sshHostCertificates: new Resource(sshHostCertificates(signers, emptyPrincipals), parts),
    sshUserCertificates: new Resource(sshUserCertificates(signers), parts),
  }
}
