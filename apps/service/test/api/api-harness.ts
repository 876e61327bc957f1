import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { buildApiApp } from '../../src/api/api-app.ts'
import { type Management, type ManagementOptions, createManagement } from '../../src/resources/management.ts'
import { type Storage, openStorage } from '../../src/storage/open-storage.ts'
import { throwAwayDatabase } from '../postgres-database.ts'

/** The stores that the contract runs on: SQLite always, PostgreSQL when `TEST_POSTGRES_URL` names a server. */
export const engines = process.env['TEST_POSTGRES_URL'] === undefined ? ['sqlite'] : ['sqlite', 'postgres']

type Body = Record<string, unknown>

/** The fields of replies that tests look into; any other is compared whole. */
export interface WireBody {
  readonly id: string
  readonly uri: string
  readonly token: string
  readonly next_page_uri: string | null
  readonly error_code?: string
  readonly msg: string
  readonly details: Record<string, string>
  readonly [field: string]: unknown
}

/** A reply as a client sees it. */
interface Answer {
  readonly status: number
  readonly body: WireBody
  readonly headers: Record<string, unknown>
}

/** A caller with an API key of its own. */
export interface Client {
  readonly accountId: string
  readonly token: string
  send(method: string, url: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Answer>
  create(url: string, body?: Body): Promise<WireBody>
}

export interface TestApi extends AsyncDisposable {
  readonly app: FastifyInstance
  readonly storage: Storage
  readonly management: Management
  readonly dataDir: string
  /** A new account with one key. */
  newClient(): Promise<Client>
}

/** The management API over a store of its own, driven without a socket. */
export async function startTestApi(
  engine = 'sqlite',
  options: ManagementOptions & { requestsPerMinute?: number; databaseUrl?: string; zone?: string } = {},
): Promise<TestApi> {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-api-'))
  const isOwnDatabase = engine === 'postgres' && options.databaseUrl === undefined
  const database = isOwnDatabase ? await throwAwayDatabase() : null
  const storage = await openStorage({
    dataDir,
    databaseUrl: database?.url ?? options.databaseUrl ?? null,
    masterKeyFile: join(dataDir, 'master.key'),
  })
  const management = createManagement(
    storage,
    {
      zone: options.zone ?? 'tunnel.example',
      region: 'local',
      tcpPorts: { first: 20_000, last: 20_009 },
      sshEmptyPrincipals: 'empty' as const,
      policyPrivateHosts: [],
    },
    options,
  )
  const app = await buildApiApp({
    log: pino({ level: 'silent' }),
    baseUrl: null,
    apiKeys: management.apiKeys,
    routes: (routed, callOf) => management.routes(routed, callOf),
    checkAddress: () => Promise.resolve(),
    signIns: { read: () => Promise.resolve(null) },
    openRoutes: () => Promise.resolve(),
    requestsPerMinute: options.requestsPerMinute ?? null,
    operations: {
      isReady: async () => storage.ping().then(() => true),
      metrics: () => Promise.resolve({ contentType: 'text/plain', text: '' }),
    },
  })
  return {
    app,
    storage,
    management,
    dataDir,
    newClient: () => newClient(app, management),
    [Symbol.asyncDispose]: async () => {
      await app.close()
      await storage[Symbol.asyncDispose]()
      await database?.[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

let accounts = 0

async function newClient(app: FastifyInstance, { accounts: store, resources }: Management): Promise<Client> {
  accounts += 1
  const account = await store.create(`holder-${accounts}@example.com`, null, Date.now())
  const caller = { accountId: account.id, apiKeyId: null, ownerId: account.userId, isAdmin: true }
  const { token } = await resources.apiKeys.create({}, { caller, baseUrl: '', now: Date.now() })
  const send: Client['send'] = (method, url, body, headers) => inject(app, token ?? '', method, url, body, headers)
  return {
    accountId: account.id,
    token: token ?? '',
    send,
    create: async (url, body = {}) => {
      const answer = await send('POST', url, body)
      if (answer.status !== 201)
        throw new Error(`POST ${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
  }
}

async function inject(
  app: FastifyInstance,
  token: string,
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const all = { authorization: `Bearer ${token}`, 'service-version': '2', host: 'api.example.com', ...headers }
  const sent = Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
  const isText = typeof body === 'string'
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: isText ? { 'content-type': 'application/json', ...sent } : sent,
    ...(body === undefined ? {} : { payload: body as string | object }),
  })
  return {
    status: response.statusCode,
    body: JSON.parse(response.body || 'null') as WireBody,
    headers: response.headers,
  }
}
