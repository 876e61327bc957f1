import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Account,
  freePort,
  loopbackAddress,
  type Pebble,
  type PebbleOptions,
  type RunningService,
  type RunningUnbound,
  startNameServer,
  startPebble,
  startRecursor,
  startService,
  tempDir,
} from '@tunnel/testkit'

export interface NameWorldOptions {
  /** A PostgreSQL, which processes share; by default each has its own store. */
  readonly databaseUrl?: string
  readonly pebble?: Partial<PebbleOptions>
}

/**
 * A small internet on loopback addresses: a service with DNS and edge at its public address, the name server of its customers,
 * a recursor that knows both, and a certificate authority that asks the recursor.
 */
export class NameWorld implements AsyncDisposable {
  readonly publicAddress: string
  /** Where a second process may run. */
  readonly secondAddress: string
  readonly recursor: RunningUnbound
  readonly caFile: string
  readonly edgePorts: { readonly http: number; readonly https: number }
  pebble: Pebble
  #service: RunningService | undefined
  #customers: RunningUnbound
  readonly #customerAddress: string
  readonly #databaseUrl: string | undefined
  readonly #dir: string
  readonly #owned: AsyncDisposableStack

  private constructor(parts: WorldParts) {
    this.publicAddress = parts.publicAddress
    this.secondAddress = parts.secondAddress
    this.#databaseUrl = parts.databaseUrl
    this.recursor = parts.recursor
    this.pebble = parts.pebble
    this.edgePorts = parts.edgePorts
    this.#customers = parts.customers
    this.#customerAddress = parts.customerAddress
    this.#dir = parts.dir
    this.#owned = parts.owned
    this.caFile = join(parts.dir, 'issued-root.pem')
  }

  static async start({ pebble: pebbleOptions, databaseUrl }: NameWorldOptions = {}): Promise<NameWorld> {
    await using starting = new AsyncDisposableStack()
    const { path: dir } = starting.use(await tempDir())
    const [publicAddress, customerAddress] = [loopbackAddress(), loopbackAddress()]
    const secondAddress = databaseUrl === undefined ? publicAddress : loopbackAddress()
    const zones = zonesBelowTest([publicAddress, secondAddress], customerAddress, [])
    const customers = await startNameServer(customerAddress, zones)
    const recursor = starting.use(await startRecursor({ test: customerAddress }))
    const edgePorts = { http: await freePort(), https: await freePort() }
    const pebble = await startPebble({ dnsPort: recursor.port, httpPort: edgePorts.http, ...pebbleOptions })
    const world = new NameWorld({
      publicAddress,
      secondAddress,
      databaseUrl,
      customerAddress,
      customers,
      recursor,
      edgePorts,
      pebble,
      dir,
      owned: starting.move(),
    })
    await world.#trustPebble()
    await world.startService()
    return world
  }

  get service(): RunningService {
    if (this.#service === undefined) throw new Error('the service does not run')
    return this.#service
  }

  /** The authority's API is trusted by the service, its root by everybody else. */
  async #trustPebble(): Promise<void> {
    await writeFile(join(this.#dir, 'api-ca.pem'), this.pebble.apiCaPem)
    await writeFile(this.caFile, await this.pebble.rootPem())
  }

  /** Starts it, or starts it again: with its data, at its address. */
  async startService(region = 'eu'): Promise<void> {
    this.#service = await this.#startAt(this.publicAddress, 'service', { apiPort: this.#service?.ports.api, region })
  }

  /** Another process of the service, on the same store; the caller stops it. */
  startSecondService(): Promise<RunningService> {
    return this.#startAt(this.secondAddress, 'second')
  }

  #startAt(
    address: string,
    name: string,
    { apiPort = 0, region = 'eu' }: { readonly apiPort?: number | undefined; readonly region?: string } = {},
  ): Promise<RunningService> {
    return startService({
      ports: { api: apiPort },
      dataDir: join(this.#dir, name),
      zone: 'svc.test',
      env: {
        ...(this.#databaseUrl === undefined ? {} : { SERVICE_DATABASE_URL: this.#databaseUrl }),
        SERVICE_MASTER_KEY_FILE: join(this.#dir, 'master.key'),
        SERVICE_DNS_LISTEN: `${address}:53`,
        SERVICE_DNS_RESOLVERS: `127.0.0.1:${this.recursor.port}`,
        SERVICE_PUBLIC_IPS: [...new Set([this.publicAddress, this.secondAddress])].join(','),
        SERVICE_EDGE_HTTP_LISTEN: `${address}:${this.edgePorts.http}`,
        SERVICE_EDGE_HTTPS_LISTEN: `${address}:${this.edgePorts.https}`,
        SERVICE_REGION: region,
        SERVICE_ACME_DIRECTORY: this.pebble.directoryUrl,
        SERVICE_ACME_CA_FILE: join(this.#dir, 'api-ca.pem'),
      },
    })
  }

  /** What the customers have at their DNS provider from now on, as lines of a zone file with absolute names. */
  async setCustomerRecords(records: readonly string[]): Promise<void> {
    await this.#customers[Symbol.asyncDispose]()
    this.#customers = await startNameServer(
      this.#customerAddress,
      zonesBelowTest([this.publicAddress, this.secondAddress], this.#customerAddress, records),
    )
  }

  /** The first state of a resource that satisfies `isReached`; asks again and again until the time limit. */
  async until<T>(account: Account, path: string, isReached: (resource: T) => boolean, limitMs = 45_000): Promise<T> {
    const deadline = AbortSignal.timeout(limitMs)
    for (;;) {
      const resource = (await account.call('GET', path)) as T
      if (isReached(resource)) return resource
      if (deadline.aborted) throw new Error(`not reached: ${JSON.stringify(resource)}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]()
    await this.pebble[Symbol.asyncDispose]()
    await this.#customers[Symbol.asyncDispose]()
    await this.#owned.disposeAsync()
  }
}

interface WorldParts {
  readonly publicAddress: string
  readonly secondAddress: string
  readonly databaseUrl: string | undefined
  readonly customerAddress: string
  readonly customers: RunningUnbound
  readonly recursor: RunningUnbound
  readonly edgePorts: { readonly http: number; readonly https: number }
  readonly pebble: Pebble
  readonly dir: string
  readonly owned: AsyncDisposableStack
}

/** The registry of `test.`, which delegates the service's domain with glue, and the zones of two customers. */
function zonesBelowTest(
  publicAddresses: readonly [string, string],
  customerAddress: string,
  records: readonly string[],
): Record<string, readonly string[]> {
  const customers = ['acme.test.', 'customer.test.']
  const delegations = customers.flatMap((zone) => [`${zone} NS ns.${zone}`, `ns.${zone} A ${customerAddress}`])
  const service = publicAddresses.flatMap((address, index) => [
    `svc.test. NS ns${index + 1}.svc.test.`,
    `ns${index + 1}.svc.test. A ${address}`,
  ])
  const zones = customers.map(
    (zone) => [zone, records.filter((line) => line.split(' ')[0]?.endsWith(`.${zone}`))] as const,
  )
  return { 'test.': [...delegations, ...service], ...Object.fromEntries(zones) }
}
