import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../storage/tables.ts'

const lifetimeMs = 7 * 24 * 60 * 60 * 1000
const tokenBytes = 32
const tokenForm = /^[\w-]{43}$/

/** Who is signed in. A token is 256 random bits and stored as a hash only. */
export class SignIns {
  readonly #db: Database
  readonly #now: () => number

  constructor(db: Database, now: () => number) {
    this.#db = db
    this.#now = now
  }

  /** Starts a sign-in under a token that nobody has known before. */
  async start(accountId: string): Promise<{ token: string; maxAgeSeconds: number }> {
    const token = randomBytes(tokenBytes).toString('base64url')
    const row = { token_hash: hashOf(token), account_id: accountId, expires_at: this.#now() + lifetimeMs }
    await this.#db.deleteFrom('sign_ins').where('expires_at', '<=', this.#now()).execute()
    await this.#db.insertInto('sign_ins').values(row).execute()
    return { token, maxAgeSeconds: lifetimeMs / 1000 }
  }

  async accountOf(token: string): Promise<string | null> {
    if (!tokenForm.test(token)) return null
    const query = this.#db.selectFrom('sign_ins').select(['account_id', 'expires_at'])
    const row = await query.where('token_hash', '=', hashOf(token)).executeTakeFirst()
    return row !== undefined && row.expires_at > this.#now() ? row.account_id : null
  }

  async end(token: string): Promise<void> {
    await this.#db.deleteFrom('sign_ins').where('token_hash', '=', hashOf(token)).execute()
  }

  async endAll(accountId: string): Promise<void> {
    await this.#db.deleteFrom('sign_ins').where('account_id', '=', accountId).execute()
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}
