import { serviceUserModel } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import type { ApiKeyVerifier, CallReader } from '../api/caller.ts'
import type { Storage } from '../storage/open-storage.ts'
import { Accounts } from './accounts/accounts.ts'
import { createApiKeyVerifier } from './api-keys/api-key-verifier.ts'
import { apiKeys } from './api-keys/api-keys.ts'
import { botUsers } from './bot-users/bot-users.ts'
import { type Owners, isPerson } from './bot-users/owner.ts'
import { AuthtokenVerifier } from './credentials/authtoken-verifier.ts'
import { credentials } from './credentials/credentials.ts'
import { Changes } from './kernel/changes.ts'
import { Resource, type ResourceParts } from './kernel/resource.ts'
import { resourceRoutes } from './kernel/routes.ts'
import { revocationListRoute } from './ssh-certificate-authorities/revocation-list-route.ts'
import type { EmptyPrincipals } from './ssh-host-certificates/ssh-host-certificates.ts'
import { createSshResources } from './ssh.ts'

/** Everything that is managed through the API, for the composition root and the parts that act on it. */
export interface Management {
  readonly resources: ReturnType<typeof createResources>
  readonly accounts: Accounts
  readonly apiKeys: ApiKeyVerifier
  readonly authtokens: AuthtokenVerifier
  /** Tells what changed, after the commit. */
  readonly changes: Changes
  /** Registers the routes of every resource. */
  routes(app: FastifyInstance, callOf: CallReader): void
}

/** What an operator decides about resources. */
export interface ManagementSettings {
  readonly sshEmptyPrincipals: EmptyPrincipals
}

const defaultSettings: ManagementSettings = { sshEmptyPrincipals: 'empty' }

export function createManagement({ db, records }: Storage, settings = defaultSettings): Management {
  const changes = new Changes()
  const resources = createResources({ records, changes }, settings)
  const owners: Owners = {
    isActive: async (ownerId) => isPerson(ownerId) || (await resources.botUsers.find(ownerId))?.body.active === true,
  }
  const authtokens = new AuthtokenVerifier(resources.credentials, records, owners)
  const isAuthtoken = (token: string) => authtokens.isAuthtoken(token)
  return {
    resources,
    changes,
    authtokens,
    accounts: new Accounts(db),
    apiKeys: createApiKeyVerifier({ apiKeys: resources.apiKeys, owners, isAuthtoken }),
    routes: (app, callOf) => {
      for (const resource of Object.values(resources)) resourceRoutes(app, resource, callOf)
      revocationListRoute(app, { authorities: resources.sshCertificateAuthorities, records }, callOf)
    },
  }
}

function createResources(parts: ResourceParts, { sshEmptyPrincipals }: ManagementSettings) {
  return {
    apiKeys: new Resource(apiKeys, parts),
    botUsers: new Resource(botUsers, parts),
    serviceUsers: new Resource({ ...botUsers, model: serviceUserModel }, parts),
    credentials: new Resource(credentials, parts),
    ...createSshResources(parts, sshEmptyPrincipals),
  }
}
