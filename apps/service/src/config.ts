import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { isCidr } from '@tunnel/policy-engine'

/** A host and port to listen on; port 0 means any free port. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

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

function directory(text: string): string {
  return resolve(text)
}

function listenAddress(text: string): ListenAddress {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text)
  const host = match?.[1] ?? match?.[2]
  const port = Number(match?.[3])
  if (match === null || host === undefined || port > 65_535)
    throw new Error('must be host:port, such as 127.0.0.1:4300 or [::1]:4300 (port 0 to 65535)')
  return { host: host === '' ? '0.0.0.0' : host, port }
}

function postgresUrl(text: string): string {
  if (!/^postgres(ql)?:$/.test(parseUrl(text).protocol)) throw new Error('must be a postgres:// URL')
  return text
}

function httpUrl(text: string): string {
  if (!/^https?:$/.test(parseUrl(text).protocol)) throw new Error('must be an http:// or https:// URL')
  return text.replace(/\/+$/, '')
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw new Error('must be an absolute URL')
  return url
}

function domainName(text: string): string {
  const name = text.toLowerCase().replace(/\.$/, '')
  const labels = name.split('.')
  const isWellFormed = name.length <= 253 && labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))
  if (!isWellFormed || labels.length < 2) throw new Error('must be a domain name of at least two labels')
  return name
}

function portRange(text: string): { first: number; last: number } {
  const match = /^(\d{1,5})-(\d{1,5})$/.exec(text)
  const [first, last] = [Number(match?.[1]), Number(match?.[2])]
  if (match === null || first < 1 || last > 65_535 || first > last)
    throw new Error('must be FIRST-LAST, within 1-65535')
  return { first, last }
}

function ipAddresses(text: string): string[] {
  const addresses = text.split(',').map((part) => part.trim())
  const wrong = addresses.find((address) => isIP(address) === 0)
  if (wrong !== undefined) throw new Error(`"${wrong}" is not an IP address (several are separated by commas)`)
  return addresses
}

function addressBlocks(text: string): string[] {
  const blocks = text.split(',').map((part) => part.trim())
  const wrong = blocks.find((block) => !isCidr(block))
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not an IP address or a block such as 10.0.0.0/8 (several are separated by commas)`)
  return blocks
}

function hostsAndBlocks(text: string): string[] {
  const hosts = text.split(',').map((part) => part.trim().toLowerCase())
  const wrong = hosts.find((host) => !isCidr(host) && !/^(?!-)[a-z0-9-]*[a-z][a-z0-9.-]*(?<![.-])$/.test(host))
  if (wrong !== undefined)
    throw new Error(
      `must be host names, addresses or blocks such as 10.0.0.0/8, separated by commas; "${wrong}" is none`,
    )
  return hosts
}

function resolverAddresses(text: string): string[] {
  const addresses = text.split(',').map((part) => part.trim())
  const wrong = addresses.find((address) => !/^(?:[\d.]+(?::\d{1,5})?|\[[\da-f:]+\](?::\d{1,5})?)$/i.test(address))
  if (wrong !== undefined)
    throw new Error(`"${wrong}" is not ADDRESS, ADDRESS:PORT or [IPV6]:PORT (several are separated by commas)`)
  return addresses
}

function contextCount(text: string): number {
  if (!/^\d{2,6}$/.test(text)) throw new Error('must be a number from 10 to 999999')
  return Number(text)
}

function requestCount(text: string): number | null {
  if (text === 'off') return null
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error('must be off, or a number from 1 to 9999999')
  return Number(text)
}

function word(text: string): string {
  if (!/^[!-~]{1,256}$/.test(text)) throw new Error('must be 1 to 256 visible ASCII characters')
  return text
}

function regionName(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(text)) throw new Error('must be 1 to 32 of a-z, 0-9 and -, such as eu or lab-2')
  return text
}

function emptyPrincipals(text: string): 'empty' | 'wildcard' {
  if (text !== 'empty' && text !== 'wildcard') throw new Error('must be empty or wildcard')
  return text
}

function staticReach(text: string): 'public' | 'any' {
  if (text !== 'public' && text !== 'any') throw new Error('must be public or any')
  return text
}

function emailAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Error('must be an e-mail address')
  return text
}
