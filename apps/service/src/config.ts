import { join } from 'node:path'
import {
  addressBlocks,
  contextCount,
  directory,
  domainName,
  emailAddress,
  emptyPrincipals,
  hostsAndBlocks,
  httpUrl,
  ipAddresses,
  listenAddress,
  portRange,
  postgresUrl,
  regionName,
  requestCount,
  resolverAddresses,
  staticReach,
  word,
  type ListenAddress,
} from './config-values.ts'

/** Where certificates come from. */
export interface AcmeConfig {
  readonly directory: string
  readonly caFile: string | null
  readonly email: string | null
  readonly profile: string | null
  /** For authorities that want to know whose account it is; both or none. */
  readonly eabKeyId: string | null
  readonly eabKeyFile: string | null
}

/** Everything that the environment decides. Secrets are not in it: they live in files of the data directory. */
export interface ServiceConfig {
  readonly dataDir: string
  /** Null: the embedded SQLite store in the data directory. */
  readonly databaseUrl: string | null
  readonly masterKeyFile: string
  readonly apiListen: ListenAddress
  /** What `uri` fields begin with. Null: derived from the address that the API got. */
  readonly baseUrl: string | null
  readonly zone: string
  readonly edgeHttpListen: ListenAddress
  readonly edgeHttpsListen: ListenAddress
  /** Address blocks of proxies whose PROXY protocol headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly tcpPorts: { readonly first: number; readonly last: number }
  readonly dnsListen: ListenAddress | null
  readonly publicIps: readonly string[]
  readonly region: string
  readonly acme: AcmeConfig
  /** Recursors that see what the world sees, `address[:port]`; null: the system's. */
  readonly dnsResolvers: readonly string[] | null
  /** TLS contexts in memory. */
  readonly tlsContextsMax: number
  readonly releasesDir: string
  /** Hosts of the operator's own network that may serve key sets to policies: names, addresses, blocks. */
  readonly policyPrivateHosts: readonly string[]
  /** Where static backends may lead. */
  readonly staticBackends: 'public' | 'any'
  /** What an SSH host certificate for every host holds: no principals, or `*` for OpenSSH 10.3 and later. */
  readonly sshEmptyPrincipals: 'empty' | 'wildcard'
  /** What one account may send to the API in any rolling minute; null: no limit. */
  readonly requestsPerMinute: number | null
}

/** Wrong configuration; `problems` holds one line per offending variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`Wrong configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Set for the agent, which often shares an environment with the service on one machine. */
const agentVariables = [
  'SERVICE_API_KEY',
  'SERVICE_API_KEY_FILE',
  'SERVICE_API_URL',
  'SERVICE_AUTHTOKEN',
  'SERVICE_AUTHTOKEN_FILE',
  'SERVICE_CONNECT_CA_FILE',
  'SERVICE_CONNECT_URL',
]

/** Reads the environment. Throws one `ConfigError` that names every wrong and every unknown `SERVICE_` variable. */
export function readConfig(env: Environment): ServiceConfig {
  const reader = new EnvironmentReader(env)
  const dataDir = reader.read('SERVICE_DATA_DIR', './data/service', directory)
  const config: ServiceConfig = {
    dataDir,
    databaseUrl: reader.read('SERVICE_DATABASE_URL', null, postgresUrl),
    masterKeyFile: reader.read('SERVICE_MASTER_KEY_FILE', join(dataDir, 'master.key'), directory),
    apiListen: reader.read('SERVICE_API_LISTEN', '127.0.0.1:4300', listenAddress),
    baseUrl: reader.read('SERVICE_BASE_URL', null, httpUrl),
    zone: reader.read('SERVICE_ZONE', 'tunnel.localhost', domainName),
    edgeHttpListen: reader.read('SERVICE_EDGE_HTTP_LISTEN', '127.0.0.1:8080', listenAddress),
    edgeHttpsListen: reader.read('SERVICE_EDGE_HTTPS_LISTEN', '127.0.0.1:8443', listenAddress),
    trustedProxies: reader.read('SERVICE_TRUSTED_PROXIES', null, addressBlocks) ?? [],
    tcpPorts: reader.read('SERVICE_TCP_PORTS', '20000-20999', portRange),
    dnsListen: reader.read('SERVICE_DNS_LISTEN', 'off', (text) => (text === 'off' ? null : listenAddress(text))),
    publicIps: reader.read('SERVICE_PUBLIC_IPS', '127.0.0.1', ipAddresses),
    region: reader.read('SERVICE_REGION', 'local', regionName),
    acme: {
      directory: reader.read('SERVICE_ACME_DIRECTORY', 'https://acme-v02.api.letsencrypt.org/directory', httpUrl),
      caFile: reader.read('SERVICE_ACME_CA_FILE', null, directory),
      email: reader.read('SERVICE_ACME_EMAIL', null, emailAddress),
      profile: reader.read('SERVICE_ACME_PROFILE', null, word),
      eabKeyId: reader.read('SERVICE_ACME_EAB_KEY_ID', null, word),
      eabKeyFile: reader.read('SERVICE_ACME_EAB_KEY_FILE', null, directory),
    },
    dnsResolvers: reader.read('SERVICE_DNS_RESOLVERS', null, resolverAddresses),
    tlsContextsMax: reader.read('SERVICE_TLS_CONTEXTS_MAX', '5000', contextCount),
    releasesDir: reader.read('SERVICE_RELEASES_DIR', join(dataDir, 'releases'), directory),
    policyPrivateHosts: reader.read('SERVICE_POLICY_PRIVATE_HOSTS', null, hostsAndBlocks) ?? [],
    staticBackends: reader.read('SERVICE_STATIC_BACKENDS', 'public', staticReach),
    sshEmptyPrincipals: reader.read('SERVICE_SSH_EMPTY_PRINCIPALS', 'empty', emptyPrincipals),
    requestsPerMinute: reader.read('SERVICE_API_REQUESTS_PER_MINUTE', 'off', requestCount),
  }
  if ((config.acme.eabKeyId === null) !== (config.acme.eabKeyFile === null))
    reader.refuse('SERVICE_ACME_EAB_KEY_ID', 'must be set together with SERVICE_ACME_EAB_KEY_FILE')
  reader.finish()
  return Object.freeze(config)
}

class EnvironmentReader {
  readonly #env: Environment
  readonly #known = new Set<string>(agentVariables)
  readonly #problems: string[] = []

  constructor(env: Environment) {
    this.#env = env
  }

  /** The parsed value, or the parsed default. A wrong value is noted and the default stands in until `finish`. */
  read<T>(name: string, fallback: string, parse: (text: string) => T): T
  read<T>(name: string, fallback: null, parse: (text: string) => T): T | null
  read<T>(name: string, fallback: string | null, parse: (text: string) => T): T | null {
    this.#known.add(name)
    const text = this.#env[name]?.trim()
    const whenUnset = () => (fallback === null ? null : parse(fallback))
    if (text === undefined || text === '') return whenUnset()
    try {
      return parse(text)
    } catch (error) {
      this.#problems.push(`${name}: ${error instanceof Error ? error.message : 'wrong'}`)
      return whenUnset()
    }
  }

  /** Notes what only shows when several variables are read. */
  refuse(name: string, why: string): void {
    this.#problems.push(`${name}: ${why}`)
  }

  finish(): void {
    for (const name of Object.keys(this.#env))
      if (name.startsWith('SERVICE_') && !this.#known.has(name))
        this.#problems.push(`${name}: there is no such variable`)
    if (this.#problems.length > 0) throw new ConfigError(this.#problems)
  }
}
