import type { Logger } from 'pino'
import { edgeSources } from './edge-sources.ts'
import type { PolicyCompiler } from '../policies/policy-compiler.ts'
import { compileModules } from '../policies/route-modules.ts'
import type { Management } from '../resources/management.ts'
import { AccountRestrictions } from '../routing/account-restrictions.ts'
import { AddressFilters } from '../routing/address-filters.ts'
import type { LabelledTunnels } from '../routing/edge-sources.ts'
import { PublishedEdges } from '../routing/published-edges.ts'
import { PublishedRawEdges } from '../routing/published-raw-edges.ts'
import { ReservedHosts } from '../routing/reserved-hosts.ts'
import type { ModuleCompiler } from '../routing/route-guards.ts'
import type { StaticReach } from '../routing/static-upstream.ts'

export interface RoutingDeps {
  readonly management: Management
  readonly labelled: LabelledTunnels
  readonly policies: PolicyCompiler
  readonly staticReach: StaticReach
  readonly log: Logger
}

/** What is configured through the API, as it acts on traffic. */
export interface Routing {
  readonly edges: PublishedEdges
  readonly rawEdges: PublishedRawEdges
  readonly reservedHosts: ReservedHosts
  readonly restrictions: AccountRestrictions
  readonly filters: AddressFilters
}

/** Loads what acts on traffic and keeps it current, change by change. */
export async function startRouting(deps: RoutingDeps): Promise<Routing> {
  const { management, labelled, policies, staticReach, log } = deps
  const { ipPolicies, ipPolicyRules, ipRestrictions, ...resources } = management.resources
  const filters = await AddressFilters.load(ipPolicies, ipPolicyRules)
  const compileFor =
    (protocol: 'http' | 'tcp' | 'tls'): ModuleCompiler =>
    (modules, { id }) => {
      // That the policies are there is known: a module holds on to those that it names.
      const ipPolicy = (policyId: string) => filters.ipPolicy(policyId)
      return compileModules(modules, { owner: id, protocol, ipPolicy }, policies)
    }
  const edges = await PublishedEdges.load(edgeSources(management.resources, labelled), {
    now: () => performance.now(),
    random: Math.random,
    staticReach,
    filters,
    compileModules: compileFor('http'),
  })
  const { backends, authorities } = edges
  const compile = { tcp: compileFor('tcp'), tls: compileFor('tls') }
  const rawEdges = await PublishedRawEdges.load(resources, { filters, backends, authorities, compile })
  const restrictions = await AccountRestrictions.load(ipRestrictions, filters, (outsider) =>
    log.info(outsider, 'an address outside of the account restriction'),
  )
  const reservedHosts = await ReservedHosts.load(resources.reservedDomains)
  const refresh = async (kind: string, id: string): Promise<void> => {
    await filters.refresh(kind, id)
    await Promise.all([edges, rawEdges, reservedHosts, restrictions].map((part) => part.refresh(kind, id)))
  }
  management.changes.listenToAll(({ kind, id }) => {
    refresh(kind, id).catch((error: unknown) => log.error({ err: error, id }, 'a change does not act yet'))
  })
  return { edges, rawEdges, reservedHosts, restrictions, filters }
}
