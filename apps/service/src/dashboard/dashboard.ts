import cookie from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import { pageRoutes } from './page-routes.ts'
import { SetupToken } from './setup-token.ts'
import { SignInReader } from './sign-in-reader.ts'
import { type AccountDirectory, signInRoutes } from './sign-in-routes.ts'
import { SignInThrottle } from './sign-in-throttle.ts'
import { SignIns } from './sign-ins.ts'
import type { Database } from '../storage/tables.ts'

interface DashboardParts {
  readonly db: Database
  readonly accounts: AccountDirectory
  /** Where the built pages are. */
  readonly assetsDir: string
  readonly now: () => number
  /** Where agents connect to, for commands to paste. */
  readonly connectUrl: string
  /** Throws when the account does not let an address in. */
  readonly checkAddress: (accountId: string, address: string) => Promise<void>
}

/** The pages, the sign-in behind them, and who is signed in, for the API. */
export interface Dashboard {
  readonly signIns: SignInReader
  /** For the log, while no account exists. */
  readonly setupToken: string
  routes(app: FastifyInstance): Promise<void>
}

export function createDashboard({ db, accounts, assetsDir, now, connectUrl, checkAddress }: DashboardParts): Dashboard {
  const signIns = new SignIns(db, now)
  const setupToken = new SetupToken()
  return {
    signIns: new SignInReader(signIns, accounts),
    setupToken: setupToken.text,
    routes: async (app) => {
      await app.register(cookie)
      const throttle = new SignInThrottle(now)
      signInRoutes(app, { accounts, signIns, throttle, setupToken, now, connectUrl, checkAddress })
      await pageRoutes(app, assetsDir)
    },
  }
}
