import type { Config } from './config.ts'
import type { Logger } from './cli/logger.ts'
import { ownApiBindId } from './agent-session.ts'
import type { BindRequest } from './session/bindings.ts'
import { isOpenToOthers } from './network/ip-ranges.ts'
import { readPolicyFile } from './tunnels/policy.ts'

/** The local API as a tunnel of its own. Nothing is published when the policy that shall protect it cannot be read. */
export async function ownApiBind(config: Config, log: Logger): Promise<BindRequest | null> {
  const { agentDomain, agentDomainPolicyFile } = config
  if (agentDomain === null) return null
  const bind = {
    id: ownApiBindId,
    protocol: 'https',
    domain: agentDomain,
    labels: null,
    forwardsTo: 'agent',
    upstreamProtocol: 'http1',
  } as const
  if (agentDomainPolicyFile === null) {
    log.warn(
      { domain: agentDomain },
      'AGENT_DOMAIN is set without AGENT_DOMAIN_POLICY_FILE: anybody can reach this API',
    )
    return { ...bind, policy: null }
  }
  try {
    return { ...bind, policy: await readPolicyFile(agentDomainPolicyFile) }
  } catch (error) {
    log.error({ err: error, domain: agentDomain }, 'AGENT_DOMAIN_POLICY_FILE cannot be used: this API is not published')
    return null
  }
}

/** Says so when others of this network can use the local API, which asks for no key. */
export function warnOfNeighbours(address: string, log: Logger): void {
  if (!isOpenToOthers(address)) return
  log.warn({ address }, 'AGENT_API_LISTEN is no loopback address: everybody in this network can create tunnels')
}
