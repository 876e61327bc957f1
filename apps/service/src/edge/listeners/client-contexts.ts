import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { CertificateSource } from '../certificate-source.ts'
import type { ClientTrust } from '../tls-terms.ts'

/** The certificates of names, in contexts that check visitors against the same authorities. */
export class ClientContexts {
  readonly #certificates: CertificateSource
  readonly #trust: ClientTrust
  /** By the usual context of the same certificate: when that one is replaced, so is ours. */
  readonly #made = new WeakMap<SecureContext, Promise<SecureContext>>()

  constructor(certificates: CertificateSource, trust: ClientTrust) {
    this.#certificates = certificates
    this.#trust = trust
  }

  async contextFor(serverName: string): Promise<SecureContext> {
    const usual = await this.#certificates.contextFor(serverName)
    const known = this.#made.get(usual)
    if (known !== undefined) return known
    const made = this.#make(serverName)
    this.#made.set(usual, made)
    made.catch(() => this.#made.delete(usual))
    return made
  }

  async #make(serverName: string): Promise<SecureContext> {
    return createSecureContext({ ...(await this.#certificates.keyPairFor(serverName)), ...trusting(this.#trust) })
  }
}

/** Whoever an account trusts need not be trusted by anybody else: its authority may be one below another. */
export function trusting({ authoritiesPem }: ClientTrust): SecureContextOptions {
  return { ca: [...authoritiesPem], allowPartialTrustChain: true }
}
