import { dirname, join } from 'node:path'
import type { OpenTcpPorts } from './open-tcp-ports.ts'
import type { PolicyCompiler } from '../policies/policy-compiler.ts'
import type { Management } from '../resources/management.ts'
import { followAccess } from './session-access.ts'
import type { LabelledTunnels } from '../sessions/labelled-tunnels.ts'
import { reservedNames } from '../sessions/reserved-names.ts'
import type { CompilePolicy } from '../sessions/sessions-deps.ts'
import { createSessions, type Sessions } from '../sessions/sessions.ts'
import type { NameMemory } from '../sessions/routing-table.ts'
import { zoneNames } from '../sessions/zone-names.ts'
import type { Routing } from './start-routing.ts'
import { MasterKeys } from '../storage/master-keys.ts'
import { mintIdNow, type Surroundings } from './surroundings.ts'

/** Names below the zone that the service uses itself. */
const ownLabels = ['connect', 'api']

export interface SessionSources {
  readonly management: Management
  readonly routing: Routing
  readonly labelled: LabelledTunnels
  readonly policies: PolicyCompiler
  readonly tcpPorts: OpenTcpPorts
  readonly nameMemory: NameMemory
}

/** The sessions of agents, with what is stored and configured acting on them. They begin with the first upgrade. */
export function startSessions({ config, log, metrics, events }: Surroundings, sources: SessionSources): Sessions {
  const { management, routing, labelled, policies, tcpPorts, nameMemory } = sources
  const admitsAgent = (accountId: string, ip: string) =>
    routing.restrictions.find(accountId, 'agent')?.isAllowed(ip) ?? true
  const sessions = createSessions({
    authtokens: management.authtokens,
    admitsAgent,
    labelled,
    names: reservedNames(reservationsOf(sources), zoneNames(config.zone, ownLabels), config.zone),
    nameMemory,
    compilePolicy: policiesOfTunnels(policies, routing),
    // Every name is served over both; the address to hand out is the one that nobody can read along.
    publicUrl: (_protocol, domain) => `https://${domain}`,
    tcp: { host: `tcp.${config.zone}`, ports: tcpPorts.ports },
    identityKey: MasterKeys.open(join(dirname(config.masterKeyFile), 'identity.key')).current.key,
    zone: config.zone,
    region: config.region,
    mintId: mintIdNow,
    clock: { nowMs: () => performance.now(), wallMs: Date.now },
    random: Math.random,
    log,
    registry: metrics,
    publish: (accountId, event, object) => events.publish(accountId, event, object),
  })
  routing.restrictions.listen(() => sessions.closeOutsiders(admitsAgent))
  routing.rawEdges.listenToReleases(() => sessions.applyReleasedAddresses())
  followAccess(sessions, management, log)
  return sessions
}

function reservationsOf({ management, routing }: SessionSources) {
  return {
    ownerOf: (name: string) => management.reservations.ownerOf(name),
    isHeldByEdge: (name: string) => (routing.edges.find(name) ?? routing.rawEdges.atHost(name)) !== undefined,
  }
}

/** Compiles again without the IP policies that turn out not to be the account's: the error then names the first of them. */
function policiesOfTunnels(policies: PolicyCompiler, { filters }: Routing): CompilePolicy {
  return async (document, place) => {
    const asked = new Set<string>()
    const ipPolicy = (id: string) => {
      asked.add(id)
      return filters.ipPolicy(id)
    }
    const policy = policies.compile(document, { ...place, ipPolicy })
    const owned = await filters.ownedBy(place.accountId, [...asked])
    if (owned.size === asked.size) return policy
    return policies.compile(document, { ...place, ipPolicy: (id) => (owned.has(id) ? ipPolicy(id) : undefined) })
  }
}
