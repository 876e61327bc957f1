import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type, type Static, type TSchema } from 'typebox'
import { clearSignInCookie, isFromOwnPages, readSignInCookie, setSignInCookie } from './sign-in-cookie.ts'
import type { SetupToken } from './setup-token.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'
import type { SignIns } from './sign-ins.ts'

interface Account {
  readonly id: string
  readonly email: string
  /** The id under which this person owns keys and authtokens. */
  readonly userId: string
}

/** What signing in needs to know of accounts. */
export interface AccountDirectory {
  isEmpty(): Promise<boolean>
  get(id: string): Promise<Account>
  create(email: string, password: string, now: number): Promise<Account>
  authenticate(email: string, password: string): Promise<Account | null>
  setPassword(id: string, password: string): Promise<void>
}

export interface SignInParts {
  readonly accounts: AccountDirectory
  readonly signIns: SignIns
  readonly throttle: SignInThrottle
  readonly setupToken: SetupToken
  readonly now: () => number
  /** Where agents connect to. */
  readonly connectUrl: string
  /** Throws when the account does not let an address in. */
  readonly checkAddress: (accountId: string, address: string) => Promise<void>
}

const Text = Type.String({ maxLength: 1024 })
const Credentials = Type.Object({ email: Text, password: Text }, { additionalProperties: false })
const FirstAccount = Type.Object({ email: Text, password: Text, setup_token: Text }, { additionalProperties: false })
const PasswordChange = Type.Object({ current_password: Text, new_password: Text }, { additionalProperties: false })

/** Signing in and out, the first account, and the password. All answer who is signed in now. */
export function signInRoutes(app: FastifyInstance, parts: SignInParts): void {
  const { accounts, signIns, throttle } = parts
  const route = <S extends TSchema>(
    method: 'POST' | 'DELETE',
    url: string,
    body: S | null,
    serve: (input: Static<S>, request: FastifyRequest) => Promise<SignedIn>,
  ) =>
    app.route({
      method,
      url,
      schema: { ...(body && { body }), hide: true },
      handler: async (request, reply) => {
        if (!isFromOwnPages(request)) throw new ServiceError('sign_in_foreign_origin')
        const { account, token } = await serve(request.body as Static<S>, request)
        if (token === null) clearSignInCookie(request, reply)
        else setSignInCookie(request, reply, token.token, token.maxAgeSeconds)
        return { account: account && shown(account), first_account_needed: false }
      },
    })

  app.get('/dashboard/session', { schema: { hide: true } }, async (request) => {
    const id = await signIns.accountOf(readSignInCookie(request) ?? '')
    if (id === null) return { account: null, first_account_needed: await accounts.isEmpty() }
    return { account: shown(await accounts.get(id)), first_account_needed: false, connect_url: parts.connectUrl }
  })

  route('POST', '/dashboard/session', Credentials, async ({ email, password }, request) => {
    throttle.check(email, request.ip)
    return signedIn(await authenticate(email, password, request))
  })

  route('DELETE', '/dashboard/session', null, async (_, request) => {
    await signIns.end(readSignInCookie(request) ?? '')
    return { account: null, token: null }
  })

  route('DELETE', '/dashboard/sessions', null, async (_, request) => {
    const accountId = await signIns.accountOf(readSignInCookie(request) ?? '')
    if (accountId !== null) await signIns.endAll(accountId)
    return { account: null, token: null }
  })

  route('POST', '/dashboard/first_account', FirstAccount, async ({ email, password, setup_token }, request) => {
    if (!(await accounts.isEmpty())) throw new ServiceError('first_account_exists')
    throttle.check('', request.ip)
    if (!parts.setupToken.admits(request.ip, setup_token)) {
      throttle.noteFailure('', request.ip)
      throw new ServiceError('setup_token_wrong')
    }
    return signedIn(await accounts.create(email, password, parts.now()))
  })

  route('POST', '/dashboard/password', PasswordChange, async ({ current_password, new_password }, request) => {
    const id = await signIns.accountOf(readSignInCookie(request) ?? '')
    if (id === null) throw new ServiceError('sign_in_needed')
    const { email } = await accounts.get(id)
    throttle.check(email, request.ip)
    const account = await authenticate(email, current_password, request)
    await accounts.setPassword(account.id, new_password)
    await signIns.endAll(account.id)
    return signedIn(account)
  })

  async function authenticate(email: string, password: string, { ip }: FastifyRequest): Promise<Account> {
    const account = await accounts.authenticate(email, password)
    if (account !== null) {
      await parts.checkAddress(account.id, ip)
      return account
    }
    throttle.noteFailure(email, ip)
    throw new ServiceError('sign_in_refused')
  }

  async function signedIn(account: Account): Promise<SignedIn> {
    return { account, token: await signIns.start(account.id) }
  }
}

interface SignedIn {
  readonly account: Account | null
  readonly token: { readonly token: string; readonly maxAgeSeconds: number } | null
}

function shown({ id, email }: Account) {
  return { id, email }
}
