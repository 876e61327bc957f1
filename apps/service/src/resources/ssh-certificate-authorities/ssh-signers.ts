import { createPrivateKey } from 'node:crypto'
import { ServiceError, sshCertificateAuthorityModel } from '@tunnel/models'
import { type CertificateAuthority, certificateAuthority } from '@tunnel/ssh-certificates'
import type { Call } from '../../api/caller.ts'
import type { Changes } from '../kernel/changes.ts'
import { type Reference, checkPrefixes, referenceMissing } from '../kernel/references.ts'
import type { Resource } from '../kernel/resource.ts'
import { type SshAuthorityBody, privateKeySecret } from './ssh-certificate-authorities.ts'

const signersMax = 1_000

interface Signer extends CertificateAuthority {
  readonly accountId: string
}

/** The authorities that are ready to sign. Opening a sealed key costs far more than a signature, so they are kept. */
export class SshSigners {
  readonly #authorities: Resource<typeof sshCertificateAuthorityModel, SshAuthorityBody>
  readonly #signers = new Map<string, Signer>()

  constructor(authorities: Resource<typeof sshCertificateAuthorityModel, SshAuthorityBody>, changes: Changes) {
    this.#authorities = authorities
    changes.listen(sshCertificateAuthorityModel.prefix, ({ id, change }) => {
      if (change === 'deleted') this.#signers.delete(id)
    })
  }

  /** The authority that a request refers to. Throws the reference's error for one that the account does not have. */
  async signerFor(reference: Reference, { caller }: Call): Promise<CertificateAuthority> {
    checkPrefixes([reference])
    const signer = this.#signers.get(reference.id) ?? (await this.#open(reference))
    if (signer.accountId !== caller.accountId) throw referenceMissing(reference)
    this.#remember(reference.id, signer)
    return signer
  }

  async #open(reference: Reference): Promise<Signer> {
    const authority = await this.#authorities.find(reference.id)
    if (authority === undefined) throw referenceMissing(reference)
    const privateKey = await this.#authorities.secret(reference.id, privateKeySecret)
    if (privateKey === undefined) throw new ServiceError('internal', {}, { cause: `no key for ${reference.id}` })
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
    return { ...certificateAuthority(key), accountId: authority.accountId }
  }

  /** The one used longest ago makes room. */
  #remember(id: string, signer: Signer): void {
    this.#signers.delete(id)
    this.#signers.set(id, signer)
    const [oldest] = this.#signers.keys()
    if (this.#signers.size > signersMax && oldest !== undefined) this.#signers.delete(oldest)
  }
}
