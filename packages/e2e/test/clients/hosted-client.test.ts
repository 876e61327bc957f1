import { Ngrok } from '@ngrok/ngrok-api'
import { type RunningService, type TempDir, startService, tempDir } from '@tunnel/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startClientBugProxy } from '../../src/client-bug-proxy.ts'
import { throwAwayCertificate } from '../../src/throw-away-certificate.ts'

type Fields = Record<string, unknown>

interface Item extends Fields {
  readonly id: string
}

/** What the client offers for one type of resource. */
interface Collection {
  create(fields: Fields): Promise<Item>
  get(id: string): Promise<Item>
  list(beforeId?: string, limit?: string): Promise<Item[]>
  update(fields: Fields & { id: string }): Promise<Item>
  delete(id: string): Promise<unknown>
}

const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGgfHWQNDBdWbsOCSaFa0q6gmnXQWQJ5RcqzsaeUnVQe host'

let service: RunningService
let directory: TempDir
let proxy: Awaited<ReturnType<typeof startClientBugProxy>>
let client: Ngrok

beforeAll(async () => {
  directory = await tempDir()
  service = await startService({ dataDir: directory.path })
  const account = await service.createAccount()
  proxy = await startClientBugProxy(service.apiUrl)
  client = new Ngrok({ apiToken: account.apiKey, baseUrl: proxy.url })
}, 30_000)

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  await directory[Symbol.asyncDispose]()
})

interface Modules {
  replace(fields: Fields): Promise<Fields>
  get(fields: Fields): Promise<Fields>
  delete(fields: Fields): Promise<unknown>
}

/** A property of the client by name, `backends.staticBackends` for a nested one. */
function part(name: string): unknown {
  return name.split('.').reduce<unknown>((object, key) => (object as Fields)[key], client)
}

function collection(name: string): Collection {
  return part(name) as Collection
}

const described = { description: 'first', metadata: 'm' }
const renamed = { description: 'second' }

/** Fields of a create, which may need other resources, and of an update. */
const resources: [name: string, create: () => Promise<Fields> | Fields, update: Fields][] = [
  ['apiKeys', () => described, renamed],
  ['botUsers', () => ({ name: `bot ${crypto.randomUUID()}` }), { active: false }],
  ['credentials', () => ({ ...described, acl: ['bind:*.example.com'] }), { ...renamed, acl: [] }],
  ['sshCredentials', () => ({ ...described, publicKey: sshKey }), renamed],
  ['sshCertificateAuthorities', () => ({ ...described, privateKeyType: 'ed25519' }), renamed],
  ['sshHostCertificates', withAuthority, renamed],
  ['sshUserCertificates', withAuthority, renamed],
  ['ipPolicies', () => described, renamed],
  [
    'ipPolicyRules',
    async () => ({ ...described, ipPolicyId: await newId('ipPolicies'), cidr: '192.0.2.0/24', action: 'allow' }),
    { cidr: '198.51.100.0/24' },
  ],
  [
    'ipRestrictions',
    async () => ({ ...described, type: 'endpoints', ipPolicyIds: [await newId('ipPolicies')] }),
    { enforced: true },
  ],
  [
    'reservedDomains',
    () => ({ ...described, domain: `${crypto.randomUUID()}.customer.dev`, region: 'local' }),
    renamed,
  ],
  ['reservedAddrs', () => described, renamed],
  [
    'agentIngresses',
    () => ({ ...described, domain: `${crypto.randomUUID()}.customer.dev` }),
    { certificateManagementPolicy: { authority: 'letsencrypt', privateKeyType: 'ecdsa' } },
  ],
  ['tlsCertificates', leaf, renamed],
  [
    'certificateAuthorities',
    async () => ({ ...described, caPem: (await throwAwayCertificate('ca', true)).certificate }),
    renamed,
  ],
  ['backends.tunnelGroupBackends', () => ({ ...described, labels: { device: 'one' } }), { labels: { device: 'two' } }],
  [
    'backends.httpResponseBackends',
    () => ({ ...described, body: 'hello', headers: { server: 'x' }, statusCode: 201 }),
    { body: 'bye' },
  ],
  [
    'backends.staticBackends',
    () => ({ ...described, address: '192.0.2.1:80', tls: { enabled: true } }),
    { address: '192.0.2.2:80' },
  ],
  // The client rewrites every key of a map, ids among them, so weights cannot be sent with it.
  ['backends.weightedBackends', () => ({ ...described, backends: {} }), renamed],
  [
    'backends.failoverBackends',
    async () => ({ ...described, backends: [await newId('backends.httpResponseBackends')] }),
    { backends: [] },
  ],
  ['edges.edgesHttps', async () => ({ ...described, hostports: [await newHostport()] }), renamed],
  ['edges.edgesTcp', async () => ({ ...described, hostports: [await newAddress()] }), renamed],
  ['edges.edgesTls', async () => ({ ...described, hostports: [await newHostport()] }), renamed],
]

async function newId(name: string): Promise<string> {
  return (await collection(name).create({})).id
}

async function withAuthority(): Promise<Fields> {
  return {
    ...described,
    sshCertificateAuthorityId: await newId('sshCertificateAuthorities'),
    publicKey: sshKey,
    principals: ['host.example.com'],
  }
}

async function leaf(): Promise<Fields> {
  const { certificate, key } = await throwAwayCertificate('leaf', false)
  return { ...described, certificatePem: certificate, privateKeyPem: key }
}

async function newHostport(): Promise<string> {
  const domain = `${crypto.randomUUID()}.customer.dev`
  await collection('reservedDomains').create({ domain })
  return `${domain}:443`
}

async function newAddress(): Promise<string> {
  return String((await collection('reservedAddrs').create({}))['addr'])
}

/** Without what changes by itself: tokens are shown once, and certificates are being obtained meanwhile. */
function steady({ token: _token, certificateManagementStatus: _status, ...item }: Fields): Fields {
  return item
}

describe('the published client of the hosted product', () => {
  it.each(resources)('creates, reads, lists, updates and deletes %s', async (name, fields, changes) => {
    const of = collection(name)
    const created = await of.create(await fields())
    const read = await of.get(created.id)
    expect(steady(created)).toEqual(steady(read))
    expect((await of.list()).map(steady)).toContainEqual(steady(read))
    const updated = await of.update({ id: created.id, ...changes })
    expect(steady(updated)).toMatchObject({ ...steady(read), ...changes })
    await of.delete(created.id)
    await expect(of.get(created.id)).rejects.toMatchObject({ statusCode: 404, msg: 'Resource not found' })
  })

  it('walks a collection over many pages', async () => {
    const ids = new Set<string>()
    for (let n = 0; n < 7; n += 1) ids.add(await newId('ipPolicies'))
    const listed = (await collection('ipPolicies').list(undefined, '3')).map(({ id }) => id)
    expect(new Set(listed).size).toBe(listed.length)
    expect(listed).toEqual(expect.arrayContaining([...ids]))
  })

  it('reads what is online', async () => {
    expect(await client.tunnelSessions.list()).toEqual([])
    expect(await client.tunnels.list()).toEqual([])
    expect(await client.endpoints.list()).toEqual([])
    await expect(client.tunnelSessions.restart(`ts_${'0'.repeat(27)}`)).rejects.toMatchObject({ statusCode: 404 })
  })

  it('manages a route of an edge and its modules', async () => {
    const edgeId = await newId('edges.edgesHttps')
    const route = await collection('edges.edgesHttpsRoutes').create({ edgeId, matchType: 'path_prefix', match: '/' })
    const path = { edgeId, id: route.id }
    const policyId = await newId('ipPolicies')
    const restriction = part('edgeModules.edgeRouteIpRestrictionModule') as Modules
    const module = await restriction.replace({ ...path, module: { ipPolicyIds: [policyId] } })
    expect(module).toEqual({ enabled: true, ipPolicies: [{ id: policyId, uri: expect.stringContaining(policyId) }] })
    expect(await restriction.get(path)).toEqual(module)
    const edge = await collection('edges.edgesHttps').get(edgeId)
    expect(edge['routes']).toMatchObject([{ id: route.id, ipRestriction: module, compression: null }])
    await expect(collection('ipPolicies').delete(policyId)).rejects.toMatchObject({ errorCode: 'ERR_NGROK_1420' })
    await restriction.delete(path)
    await expect(restriction.get(path)).rejects.toMatchObject({ statusCode: 404 })
    const saml = part('edgeModules.edgeRouteSamlModule') as Modules
    await expect(saml.replace({ ...path, module: {} })).rejects.toMatchObject({ statusCode: 400 })
  })

  it('gets the error codes that it knows', async () => {
    const twice = { domain: `${crypto.randomUUID()}.customer.dev` }
    await collection('reservedDomains').create(twice)
    await expect(collection('reservedDomains').create(twice)).rejects.toMatchObject({
      errorCode: 'ERR_NGROK_413',
      statusCode: 400,
    })
    const stranger = new Ngrok({ apiToken: 'nonsense', baseUrl: proxy.url })
    await expect(stranger.apiKeys.list()).rejects.toMatchObject({ errorCode: 'ERR_NGROK_202', statusCode: 403 })
  })
})
