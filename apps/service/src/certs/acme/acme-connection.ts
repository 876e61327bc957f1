import type { KeyObject } from 'node:crypto'
import { type ExternalAccountBinding, openAcmeAccount } from './acme-account.ts'
import { AcmeClient } from './acme-client.ts'
import { AcmeError } from './acme-error.ts'
import { AcmeTransport } from './acme-transport.ts'
import type { CertificateKeyType } from './certificate-key.ts'
import { type ChallengePresenter, type IssuedCertificate, issueCertificate } from './issue.ts'
import type { RenewalInfo } from './renewal-info.ts'

export interface WantedIssue {
  readonly names: readonly string[]
  readonly keyType: CertificateKeyType
  /** The renewal id of the certificate that this one takes the place of. */
  readonly replaces: string | null
}

export interface AcmeConnectionOptions {
  readonly directoryUrl: string
  /** PEM roots instead of the system's. */
  readonly caPem: string | null
  readonly email: string | null
  readonly externalAccount: ExternalAccountBinding | null
  readonly profile: string | null
  /** The key of our account at this directory: the same one at every start. */
  readonly accountKey: () => Promise<KeyObject>
  readonly nowMs: () => number
}

/** The one account of this service at one authority, opened when it is first needed. */
export class AcmeConnection implements AsyncDisposable {
  readonly #options: AcmeConnectionOptions
  readonly #transport: AcmeTransport
  #client: Promise<AcmeClient> | undefined

  constructor(options: AcmeConnectionOptions) {
    this.#options = options
    this.#transport = new AcmeTransport(options)
  }

  /** Throws `AcmeError`, or the reason of the signal. */
  async issue(wanted: WantedIssue, presenter: ChallengePresenter, signal: AbortSignal): Promise<IssuedCertificate> {
    const conversation = { client: await this.#openClient(), presenter, signal }
    const request = { ...wanted, profile: this.#options.profile }
    try {
      return await issueCertificate(conversation, request)
    } catch (error) {
      if (wanted.replaces === null || !isAlreadyReplaced(error)) throw error
      return issueCertificate(conversation, { ...request, replaces: null })
    }
  }

  /** Null when the authority says nothing about renewals. Throws `AcmeError`. */
  async renewalInfo(renewalId: string): Promise<RenewalInfo | null> {
    return (await this.#openClient()).renewalInfo(renewalId)
  }

  /** By what CAA records name the authority, and our account there. Throws `AcmeError`. */
  async identity(): Promise<{ readonly identities: readonly string[]; readonly accountUrl: string }> {
    const { account } = await this.#openClient()
    const { caaIdentities } = await this.#transport.directory()
    return { identities: caaIdentities, accountUrl: account.identity.kid }
  }

  /** The next request finds or registers the account anew: the authority may have lost it. */
  forgetAccount(): void {
    this.#client = undefined
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#transport[Symbol.asyncDispose]()
  }

  #openClient(): Promise<AcmeClient> {
    this.#client ??= this.#open().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #open(): Promise<AcmeClient> {
    const { accountKey, email, externalAccount } = this.#options
    const privateKey = await accountKey()
    return new AcmeClient(
      this.#transport,
      await openAcmeAccount(this.#transport, { privateKey, email, externalAccount }),
    )
  }
}

/** Another order was told to replace the same certificate (RFC 9773 5). */
function isAlreadyReplaced(error: unknown): boolean {
  return error instanceof AcmeError && error.step === 'order' && error.problem?.status === 409
}
