import { ServiceError, credentialModel, parseToken } from '@tunnel/models'
import type { Records } from '../../storage/records.ts'
import { type Owners, requireActiveOwner } from '../bot-users/owner.ts'
import type { Resource } from '../kernel/resource.ts'
import { matchesHash } from '../kernel/token.ts'
import type { CredentialBody } from './credentials.ts'

/** The credential that an agent proved to hold. */
export interface VerifiedAuthtoken {
  readonly credentialId: string
  readonly accountId: string
  /** Rules for what may be bound; empty allows everything. */
  readonly acl: readonly string[]
}

/** Checks the authtokens of agents. */
export class AuthtokenVerifier {
  readonly #credentials: Resource<typeof credentialModel, CredentialBody>
  readonly #records: Records
  readonly #owners: Owners

  constructor(credentials: Resource<typeof credentialModel, CredentialBody>, records: Records, owners: Owners) {
    this.#credentials = credentials
    this.#records = records
    this.#owners = owners
  }

  /** Throws `authtoken_malformed`, `authtoken_invalid`, `authtoken_revoked` or `owner_inactive`. */
  async verify(token: string): Promise<VerifiedAuthtoken> {
    const parsed = parseToken(token)
    if (parsed === null) throw new ServiceError('authtoken_malformed')
    const id = `${credentialModel.prefix}_${parsed.ksuid}`
    const credential = await this.#credentials.find(id)
    if (credential === undefined)
      throw new ServiceError((await this.#records.isBuried(id)) ? 'authtoken_revoked' : 'authtoken_invalid')
    if (!matchesHash(token, credential.body.token_hash)) throw new ServiceError('authtoken_invalid')
    await requireActiveOwner(this.#owners, credential.body.owner_id)
    return { credentialId: id, accountId: credential.accountId, acl: credential.body.acl }
  }

  /** Whether a token is a valid authtoken. */
  async isAuthtoken(token: string): Promise<boolean> {
    const credential = await this.#credentials.find(`${credentialModel.prefix}_${parseToken(token)?.ksuid ?? ''}`)
    return credential !== undefined && matchesHash(token, credential.body.token_hash)
  }
}
