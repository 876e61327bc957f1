import type { FastifyInstance } from 'fastify'
import type { ApiKeyVerifier, CallReader } from '../api/caller.ts'
import { PrivateHosts } from '../policies/private-hosts.ts'
import { moduleCheck } from '../policies/route-modules.ts'
import type { Storage } from '../storage/open-storage.ts'
import { Accounts } from './accounts/accounts.ts'
import { type Resources, createResources } from './all-resources.ts'
import { createApiKeyVerifier } from './api-keys/api-key-verifier.ts'
import { type Owners, isPerson } from './bot-users/owner.ts'
import { type CertificateProvisioning, noProvisioning } from './certificate-management/certificate-policy.ts'
import { AuthtokenVerifier } from './credentials/authtoken-verifier.ts'
import { Reservations } from './domain-names/reservations.ts'
import { ZoneNames } from './domain-names/zone-names.ts'
import { createEdgeModules } from './edges/edge-module-sets.ts'
import { Changes } from './kernel/changes.ts'
import { managementRoutes } from './management-routes.ts'
import type { EmptyPrincipals } from './ssh-host-certificates/ssh-host-certificates.ts'
import { LateSessions, type SessionDirectory } from './tunnel-sessions/online.ts'

/** Everything that is managed through the API, for the composition root and the parts that act on it. */
export interface Management {
  readonly resources: Resources
  readonly names: ZoneNames
  readonly accounts: Accounts
  readonly apiKeys: ApiKeyVerifier
  readonly authtokens: AuthtokenVerifier
  readonly reservations: Reservations
  /** Tells what changed, after the commit. */
  readonly changes: Changes
  /** The sessions start after the management, whose authtokens they need; nothing is online until then. */
  connectSessions(directory: SessionDirectory): void
  /** Registers the routes of every resource. */
  routes(app: FastifyInstance, callOf: CallReader): void
}

/** What the operator's configuration says about resources. */
export interface ManagementConfig {
  readonly zone: string
  readonly region: string
  readonly tcpPorts: { readonly first: number; readonly last: number }
  readonly sshEmptyPrincipals: EmptyPrincipals
  readonly policyPrivateHosts: readonly string[]
}

/** Parts of the service that resources show or depend on. */
export interface ManagementOptions {
  readonly provisioning?: CertificateProvisioning
  /** Whether a port for `tcp` tunnels is in use already. */
  readonly isPortOpen?: (port: number) => boolean
}

export function createManagement(
  { db, records }: Storage,
  { zone, region, tcpPorts, sshEmptyPrincipals, policyPrivateHosts }: ManagementConfig,
  options: ManagementOptions = {},
): Management {
  const { provisioning = noProvisioning, isPortOpen = () => false } = options
  const changes = new Changes()
  const sessions = new LateSessions()
  const names = new ZoneNames(zone, region)
  const edgeModules = createEdgeModules(moduleCheck(new PrivateHosts(policyPrivateHosts)))
  const surroundings = {
    names,
    ports: { ...tcpPorts, isOpen: isPortOpen },
    sessions,
    provisioning,
    edgeModules,
    sshEmptyPrincipals,
  }
  const resources = createResources({ records, changes }, surroundings)
  const owners: Owners = {
    isActive: async (ownerId) => isPerson(ownerId) || (await resources.botUsers.find(ownerId))?.body.active === true,
  }
  const authtokens = new AuthtokenVerifier(resources.credentials, records, owners)
  const isAuthtoken = (token: string) => authtokens.isAuthtoken(token)
  return {
    resources,
    names,
    changes,
    authtokens,
    reservations: new Reservations(records),
    accounts: new Accounts(db),
    apiKeys: createApiKeyVerifier({ apiKeys: resources.apiKeys, owners, isAuthtoken }),
    connectSessions: (directory) => sessions.connect(directory),
    routes: (app, callOf) => managementRoutes(app, { resources, edgeModules, sessions, records, region }, callOf),
  }
}
