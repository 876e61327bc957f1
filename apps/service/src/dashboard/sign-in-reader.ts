import type { FastifyRequest } from 'fastify'
import { readSignInCookie } from './sign-in-cookie.ts'
import type { SignIns } from './sign-ins.ts'

interface Person {
  readonly accountId: string
  readonly apiKeyId: null
  readonly ownerId: string
  readonly isAdmin: true
}

interface PersonDirectory {
  get(accountId: string): Promise<{ readonly userId: string }>
}

/** Maps the cookie of the dashboard to the account, for the API's own authentication. */
export class SignInReader {
  readonly #signIns: SignIns
  readonly #accounts: PersonDirectory

  constructor(signIns: SignIns, accounts: PersonDirectory) {
    this.#signIns = signIns
    this.#accounts = accounts
  }

  async read(request: FastifyRequest): Promise<Person | null> {
    const token = readSignInCookie(request)
    const accountId = token === undefined ? null : await this.#signIns.accountOf(token)
    if (accountId === null) return null
    const { userId } = await this.#accounts.get(accountId)
    return { accountId, apiKeyId: null, ownerId: userId, isAdmin: true }
  }
}
