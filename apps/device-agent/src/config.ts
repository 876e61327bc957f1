import { join, resolve } from 'node:path'
import {
  type ListenAddress,
  parseApiUrl,
  parseConnectUrl,
  parseDomain,
  parseListenAddress,
  parseMetadata,
  parseProxy,
  parseSwitch,
} from './config-values.ts'
import type { ProxyConfig } from './network/proxy.ts'
import { Secret } from './secret.ts'

/** Where the agent's secret comes from. A file is read again for every connection, so that it can be replaced. */
export type AuthtokenSource =
  | { readonly kind: 'value'; readonly value: Secret }
  | { readonly kind: 'file'; readonly path: string }

export interface Config {
  readonly authtoken: AuthtokenSource
  readonly connectUrl: string
  readonly connectCaFile: string | null
  readonly agentDomain: string | null
  readonly agentDomainPolicyFile: string | null
  readonly apiListen: ListenAddress
  readonly stateDir: string
  readonly defaultPolicyFile: string
  readonly metadata: string
  readonly isRemoteManagementOn: boolean
  readonly isUpdateCheckOn: boolean
  readonly proxy: ProxyConfig | null
}

/** How a command reaches the management API. */
export interface ApiAccess {
  readonly apiUrl: string
  readonly apiKey: AuthtokenSource
  readonly caFile: string | null
  readonly proxy: ProxyConfig | null
}

/** Everything that is wrong with the environment, one line per variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const agentVariables = [
  'AGENT_API_LISTEN',
  'AGENT_DEFAULT_POLICY_FILE',
  'AGENT_DOMAIN',
  'AGENT_DOMAIN_POLICY_FILE',
  'AGENT_METADATA',
  'AGENT_REMOTE_MANAGEMENT',
  'AGENT_STATE_DIR',
  'AGENT_UPDATE_CHECK',
]

/**
 * Reads the configuration from environment variables.
 * @throws ConfigError that names every offending variable
 */
export function readConfig(env: Environment): Config {
  const problems: string[] = unknownVariables(env)
  const read = variableReader(env, problems)
  const stateDir = readStateDir(env)
  const config: Config = {
    authtoken: readSecret(read, env, 'SERVICE_AUTHTOKEN', 'the authtoken of this agent'),
    connectUrl: read('SERVICE_CONNECT_URL', 'wss://connect.tunnel.localhost:8443', parseConnectUrl),
    connectCaFile: env['SERVICE_CONNECT_CA_FILE'] || null,
    agentDomain: read('AGENT_DOMAIN', '', parseDomain),
    agentDomainPolicyFile: env['AGENT_DOMAIN_POLICY_FILE'] || null,
    apiListen: read('AGENT_API_LISTEN', '127.0.0.1:4301', parseListenAddress),
    stateDir,
    defaultPolicyFile: env['AGENT_DEFAULT_POLICY_FILE'] || join(stateDir, 'default-policy.json'),
    metadata: read('AGENT_METADATA', '', parseMetadata),
    isRemoteManagementOn: read('AGENT_REMOTE_MANAGEMENT', 'true', parseSwitch),
    isUpdateCheckOn: read('AGENT_UPDATE_CHECK', 'true', parseSwitch),
    proxy: readProxy(read, env),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

/** Reads what a command needs that calls the management API. @throws ConfigError */
export function readApiAccess(env: Environment): ApiAccess {
  const problems: string[] = []
  const read = variableReader(env, problems)
  const access: ApiAccess = {
    apiUrl: read('SERVICE_API_URL', 'http://127.0.0.1:4300', parseApiUrl),
    apiKey: readSecret(read, env, 'SERVICE_API_KEY', 'an API key of the account'),
    caFile: env['SERVICE_CONNECT_CA_FILE'] || null,
    proxy: readProxy(read, env),
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return access
}

type Read = <T>(name: string, fallback: string, parse: (text: string) => T) => T

function variableReader(env: Environment, problems: string[]): Read {
  return <T>(name: string, fallback: string, parse: (text: string) => T): T => {
    try {
      return parse(env[name] || fallback)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`)
      // Never seen by anybody: a problem ends in a throw.
      return undefined as T
    }
  }
}

/** Where the agent keeps everything; known before the rest of the configuration is. */
export function readStateDir(env: Environment): string {
  return resolve(env['AGENT_STATE_DIR'] || './data/agent')
}

/** What a service manager expects of this process. */
export interface SupervisorFacts {
  /** Whether somebody starts this process again when it exits. */
  readonly isPresent: boolean
  readonly wantsNotice: boolean
  /** Silence after which the manager kills the process; null when it does not watch. */
  readonly watchdogMs: number | null
}

/** What systemd says about itself to the processes that it starts. */
export function readSupervisor(env: Environment): SupervisorFacts {
  const watchdogUs = Number(env['WATCHDOG_USEC'])
  return {
    isPresent: Boolean(env['INVOCATION_ID']),
    wantsNotice: Boolean(env['NOTIFY_SOCKET']),
    watchdogMs: watchdogUs > 0 ? watchdogUs / 1000 : null,
  }
}

function unknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('AGENT_') && !agentVariables.includes(name))
    .map((name) => `${name} is not a variable of the agent; it knows ${agentVariables.join(', ')}`)
}

function readSecret(read: Read, env: Environment, name: string, what: string): AuthtokenSource {
  const path = env[`${name}_FILE`]
  return read(name, '', (text) => {
    if (text && path) throw new Error(`and ${name}_FILE are both set; keep one of them`)
    if (path) return { kind: 'file', path }
    if (!text) throw new Error(`is required: ${what}, or ${name}_FILE with its place`)
    if (/\s/.test(text)) throw new Error('must not contain white space')
    return { kind: 'value', value: new Secret(text) }
  })
}

function readProxy(read: Read, env: Environment): ProxyConfig | null {
  const name = env['HTTPS_PROXY'] ? 'HTTPS_PROXY' : 'https_proxy'
  return read(name, '', (text) => parseProxy(text, env['NO_PROXY'] || env['no_proxy'] || ''))
}
