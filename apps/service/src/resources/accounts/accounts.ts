import { ServiceError, idPrefix, mintId } from '@tunnel/models'
import { constraintViolation } from '../../storage/constraint-violation.ts'
import type { Database, Tables } from '../../storage/tables.ts'
import { hashPassword, matchesPassword } from './password.ts'

const accountPrefix = 'ac'
const passwordCharactersMin = 12
const emailBytesMax = 254
/** Well formed, and the hash of no password. */
const unmatchableHash = `scrypt$65536$8$1$${Buffer.alloc(16).toString('base64')}$${Buffer.alloc(32).toString('base64')}`

/** The holder of resources, and the person behind it. */
export interface Account {
  readonly id: string
  readonly email: string
  /** The id under which this person owns keys and authtokens. */
  readonly userId: string
}

/** People who may use the service. They are created from the command line, not through the API. */
export class Accounts {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Without a password the account has no access to the dashboard. Throws `ServiceError` for bad or taken values. */
  async create(email: string, password: string | null, now: number): Promise<Account> {
    const address = readEmail(email)
    const row = {
      id: mintId(accountPrefix, now),
      email: address,
      user_id: mintId('usr', now),
      password_hash: password === null ? null : await hashPassword(readPassword(password)),
      created_at: now,
    }
    try {
      await this.#db.insertInto('accounts').values(row).execute()
    } catch (error) {
      if (constraintViolation(error) !== 'unique') throw error
      throw new ServiceError('account_email_taken', { email: address }, { cause: error })
    }
    return toAccount(row)
  }

  /** By e-mail address or id. Throws `account_unknown`. */
  async get(emailOrId: string): Promise<Account> {
    const row = await this.#row(emailOrId)
    if (row === undefined) throw new ServiceError('account_unknown', { account: emailOrId })
    return toAccount(row)
  }

  /** Whether nobody has set this service up yet. */
  async isEmpty(): Promise<boolean> {
    return (await this.#db.selectFrom('accounts').select('id').limit(1).executeTakeFirst()) === undefined
  }

  /** Throws `account_password_too_short`. */
  async setPassword(id: string, password: string): Promise<void> {
    const hash = await hashPassword(readPassword(password))
    await this.#db.updateTable('accounts').set({ password_hash: hash }).where('id', '=', id).execute()
  }

  /** The account when the password is right, otherwise null; an unknown address takes as long as a wrong password. */
  async authenticate(email: string, password: string): Promise<Account | null> {
    const row = await this.#row(email)
    const isRight = await matchesPassword(password, row?.password_hash ?? unmatchableHash)
    return isRight && row !== undefined ? toAccount(row) : null
  }

  async #row(emailOrId: string): Promise<Tables['accounts'] | undefined> {
    const column = emailOrId.includes('@') ? 'email' : 'id'
    const value = column === 'email' ? emailOrId.trim().toLowerCase() : emailOrId
    if (!(column === 'email' ? isEmail(value) : idPrefix(value) === accountPrefix)) return undefined
    return this.#db.selectFrom('accounts').selectAll().where(column, '=', value).executeTakeFirst()
  }
}

function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (!isEmail(email)) throw new ServiceError('account_email_invalid', { email: text.slice(0, 80) })
  return email
}

function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(text) && Buffer.byteLength(text) <= emailBytesMax
}

function readPassword(text: string): string {
  if (text.length < passwordCharactersMin)
    throw new ServiceError('account_password_too_short', { min: passwordCharactersMin })
  return text
}

function toAccount({ id, email, user_id }: Tables['accounts']): Account {
  return { id, email, userId: user_id }
}
