import { Agent as HttpsAgent } from 'node:https'
import { isIP } from 'node:net'
import { HttpsProxyAgent } from 'https-proxy-agent'
import type { Secret } from '../secret.ts'
import { isLocalhostName, isLoopbackIp } from './ip-ranges.ts'

export interface ProxyConfig {
  /** `http://user:password@host:port` */
  readonly url: Secret
  readonly noProxy: readonly string[]
}

// One address of a name is given up for the next after this long. Node's own quarter of a second is less than one round
// trip over a satellite, or one lost packet.
const attemptTimeoutMs = 2500
const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: attemptTimeoutMs }

/** The agent for an HTTPS request: through the proxy's CONNECT where one applies to the host. */
export function httpsAgentFor(host: string, port: number, proxy: ProxyConfig | null): HttpsAgent {
  if (proxy === null || isDirect(host, port, proxy.noProxy)) return new HttpsAgent(agentOptions)
  return new HttpsProxyAgent(proxy.url.reveal(), agentOptions)
}

/** `NO_PROXY` as curl reads it: `*`, names and everything below them, each with an optional port. */
export function isDirect(host: string, port: number, noProxy: readonly string[]): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (isLocalhostName(name) || isLoopbackIp(name)) return true
  return noProxy.some((entry) => entry === '*' || matches(entry.toLowerCase(), name, port))
}

function matches(entry: string, name: string, port: number): boolean {
  const [, bracketed, plain = entry, wantedPort] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
  if (wantedPort !== undefined && Number(wantedPort) !== port) return false
  const suffix = bracketed ?? plain.replace(/^\*?\./, '')
  return name === suffix || (isIP(name) === 0 && name.endsWith(`.${suffix}`))
}
