import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, type WireBody, startTestApi } from './api-harness.ts'
import { listedErrors } from './operations.ts'
import { throwAwayCertificate } from '../certs/throw-away-certificate.ts'

let api: TestApi
let client: Client
let stranger: Client
let listed: Awaited<ReturnType<typeof listedErrors>>
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
  stranger = await api.newClient()
  listed = await listedErrors(api.app)
})
afterAll(() => api[Symbol.asyncDispose]())

async function codeOf(method: string, url: string, body?: unknown, as = client): Promise<number | null> {
  const answer = await as.send(method, url, body)
  if (answer.status < 300) return null
  expect(listed(method, url)).toContain(answer.body.error_code)
  return Number(answer.body.error_code?.replace('ERR_SERVICE_', ''))
}

const unknown = (prefix: string) => `${prefix}_${'0'.repeat(27)}`

describe('a create is refused with its number', () => {
  it.each<[string, Record<string, unknown>, number]>([
    ['/reserved_domains', { domain: 'a.*.example.dev' }, 402],
    ['/reserved_domains', { domain: 'bücher.example.dev' }, 406],
    ['/reserved_domains', { domain: '-a.example.dev' }, 407],
    ['/reserved_domains', { domain: 'a-.example.dev' }, 408],
    ['/reserved_domains', { domain: 'a..example.dev' }, 409],
    ['/reserved_domains', { domain: 'ab--c.example.dev' }, 410],
    ['/reserved_domains', { domain: 'host.local' }, 411],
    ['/reserved_domains', { domain: '*.dev' }, 416],
    ['/reserved_domains', { domain: 'a_b.example.dev' }, 438],
    ['/reserved_domains', { domain: 'single' }, 448],
    ['/reserved_domains', { domain: 'connect.tunnel.example' }, 450],
    ['/reserved_domains', { domain: `${'a'.repeat(64)}.example.dev` }, 513],
    ['/reserved_domains', { domain: `${'a.'.repeat(130)}dev` }, 514],
    ['/reserved_domains', { domain: 'r.example.dev', region: 'mars' }, 400],
    [
      '/reserved_domains',
      { domain: 'p.tunnel.example', certificate_management_policy: { authority: 'letsencrypt' } },
      439,
    ],
    ['/reserved_domains', { domain: 'q.tunnel.example', certificate_id: unknown('cert') }, 440],
    ['/reserved_domains', { domain: 's.example.dev', certificate_id: unknown('cert') }, 1965],
    ['/reserved_domains', { domain: 't.example.dev', certificate_id: unknown('ipp') }, 227],
    ['/reserved_domains', { domain: 'u.example.dev', certificate_management_policy: { authority: 'other' } }, 435],
    ['/reserved_addrs', { region: 'mars' }, 500],
    ['/agent_ingresses', { domain: 'x.tunnel.example' }, 6705],
    ['/agent_ingresses', { domain: 'no good' }, 6704],
    ['/agent_ingresses', { domain: 'a.example.dev', certificate_management_policy: { private_key_type: 'dsa' } }, 1909],
    ['/ip_policy_rules', { cidr: '192.0.2.0/24', action: 'allow' }, 1405],
    ['/ip_policy_rules', { cidr: 'nonsense', action: 'allow', ip_policy_id: unknown('ipp') }, 1406],
    ['/ip_policy_rules', { cidr: '192.0.2.1/24', action: 'allow', ip_policy_id: unknown('ipp') }, 1409],
    ['/ip_policy_rules', { cidr: '192.0.2.1', action: 'allow', ip_policy_id: unknown('ipp') }, 1413],
    ['/ip_policy_rules', { cidr: '2001:db8::1/64', action: 'allow', ip_policy_id: unknown('ipp') }, 1409],
    ['/ip_policy_rules', { cidr: '::/129', action: 'allow', ip_policy_id: unknown('ipp') }, 1406],
    ['/ip_policy_rules', { cidr: '192.0.2.0/24', action: 'maybe', ip_policy_id: unknown('ipp') }, 1422],
    ['/ip_policy_rules', { cidr: '192.0.2.0/24', action: 'allow', ip_policy_id: unknown('ipp') }, 1402],
    ['/ip_policy_rules', { cidr: '192.0.2.0/24', action: 'allow', ip_policy_id: 'nonsense' }, 223],
    ['/ip_restrictions', { type: 'agent', ip_policy_ids: [] }, 1804],
    ['/ip_restrictions', { type: 'moon', ip_policy_ids: ['x'] }, 1803],
    ['/ip_restrictions', { type: 'agent', ip_policy_ids: [unknown('ipp')] }, 1801],
    ['/ip_restrictions', { type: 'agent', ip_policy_ids: [unknown('ca')] }, 229],
    ['/backends/tunnel_group', { labels: { 'a=b': 'c' } }, 6531],
    ['/backends/tunnel_group', { labels: { a: '' } }, 6510],
    ['/backends/tunnel_group', { labels: { '': 'a' } }, 6509],
    ['/backends/http_response', { status_code: 99 }, 6517],
    ['/backends/http_response', { status_code: 101 }, 6517],
    ['/backends/http_response', { headers: { 'bad name': 'x' } }, 6522],
    ['/backends/http_response', { headers: { 'Content-Length': '5' } }, 90_304],
    ['/backends/http_response', { headers: { 'transfer-encoding': 'chunked' } }, 90_304],
    ['/backends/http_response', { headers: { name: 'x\u010aset-cookie: a=b' } }, 6523],
    ['/backends/http_response', { headers: { name: 'line\r\nsplit: 1' } }, 6523],
    ['/backends/static', { address: 'nowhere' }, 6506],
    ['/backends/static', { address: '192.0.2.1:0' }, 6506],
    ['/backends/weighted', { backends: { [unknown('bkdhr')]: 1 } }, 6501],
    ['/backends/weighted', { backends: { [unknown('bkdfo')]: 1 } }, 6524],
    ['/backends/weighted', { backends: { [unknown('ipp')]: 1 } }, 242],
    ['/backends/failover', { backends: [unknown('bkdfo')] }, 6525],
    ['/edges/https', { hostports: ['unreserved.example.dev:443'] }, 7117],
    ['/edges/https', { hostports: ['app.example.dev:80'] }, 7116],
    ['/edges/https', { hostports: ['app.example.dev'] }, 7104],
    ['/edges/tcp', { hostports: ['1.tcp.tunnel.example:1'] }, 7117],
    ['/edges/tcp', { compression: {} }, 214],
    ['/edges/tcp', { backend: { backend_id: unknown('bkdhr') } }, 6501],
    ['/edges/tls', { tls_termination: { terminate_at: 'agent' } }, 90_305],
    ['/tls_certificates', { certificate_pem: 'text', private_key_pem: 'text' }, 1920],
    ['/certificate_authorities', { ca_pem: '-----BEGIN RSA PRIVATE KEY-----' }, 1925],
    ['/ssh_credentials', { public_key: 'ssh-rsa nonsense' }, 612],
    ['/credentials', { acl: ['bind'] }, 600],
    ['/credentials', { owner_id: unknown('bot') }, 634],
  ])('POST %s %j', async (url, body, code) => {
    expect(await codeOf('POST', url, body)).toBe(code)
  })
})

describe('a name', () => {
  it('has one holder, and a wildcard keeps others out below it', async () => {
    await client.create('/reserved_domains', { domain: 'App.Example.dev.' })
    expect(await codeOf('POST', '/reserved_domains', { domain: 'app.example.dev' })).toBe(413)
    expect(await codeOf('POST', '/reserved_domains', { domain: 'app.example.dev' }, stranger)).toBe(414)
    expect(await codeOf('POST', '/reserved_domains', { domain: '*.example.dev' }, stranger)).toBe(417)
    await client.create('/reserved_domains', { domain: '*.example.dev' })
    expect(await codeOf('POST', '/reserved_domains', { domain: 'deep.other.example.dev' }, stranger)).toBe(417)
    expect(await codeOf('POST', '/reserved_domains', { domain: 'example.dev' }, stranger)).toBeNull()
    const { body } = await stranger.send('GET', '/reserved_domains')
    expect((body['reserved_domains'] as WireBody[]).map((item) => item['domain'])).toEqual(['example.dev'])
  })

  it('of a customer gets a CNAME and automatic certificates, one of the zone needs neither', async () => {
    const custom = await client.create('/reserved_domains', { domain: '*.shop.dev' })
    expect(custom).toMatchObject({
      cname_target: expect.stringMatching(/^[a-z0-9]{17}\.[a-z0-9]{17}\.cname\.tunnel\.example$/),
      acme_challenge_cname_target: expect.stringMatching(/\.acme-challenge\.tunnel\.example$/),
      certificate_management_policy: { authority: 'letsencrypt', private_key_type: 'ecdsa' },
    })
    const own = await client.create('/reserved_domains', { domain: 'mine.tunnel.example' })
    expect(own).toMatchObject({
      cname_target: null,
      certificate_management_policy: null,
      certificate: null,
      region: '',
    })
  })

  it('changes between an uploaded and an automatic certificate, and keeps the one in use', async () => {
    const { chainPem, privateKeyPem } = await throwAwayCertificate(['cert.dev'])
    const certificate = await client.create('/tls_certificates', {
      certificate_pem: chainPem,
      private_key_pem: privateKeyPem,
    })
    const domain = await client.create('/reserved_domains', { domain: 'cert.dev', certificate_id: certificate.id })
    const path = `/reserved_domains/${domain.id}`
    expect(domain).toMatchObject({ certificate: { id: certificate.id }, certificate_management_policy: null })
    expect(await codeOf('DELETE', `/tls_certificates/${certificate.id}`)).toBe(1966)
    const managed = await client.send('PATCH', path, { certificate_management_policy: { private_key_type: 'rsa' } })
    expect(managed.body).toMatchObject({
      certificate: null,
      certificate_management_policy: { private_key_type: 'rsa' },
    })
    expect(await codeOf('DELETE', `${path}/certificate`)).toBe(436)
    expect(await codeOf('DELETE', `${path}/certificate_management_policy`)).toBeNull()
    expect((await client.send('GET', path)).body['certificate_management_policy']).toBeNull()
    expect(await codeOf('PATCH', path, { certificate_id: certificate.id })).toBeNull()
    expect(await codeOf('DELETE', `${path}/certificate`)).toBeNull()
    expect(await codeOf('DELETE', `/tls_certificates/${certificate.id}`)).toBeNull()
    expect(await codeOf('PATCH', path, {})).toBe(422)
  })

  it('cannot be given up while an edge uses it, nor be used by two edges', async () => {
    const { id } = await client.create('/reserved_domains', { domain: 'edge.dev' })
    const edge = await client.create('/edges/https', { hostports: ['edge.dev:443'] })
    expect(await codeOf('POST', '/edges/tls', { hostports: ['edge.dev:443'] })).toBe(7122)
    expect(await codeOf('POST', '/edges/tls', { hostports: ['edge.dev:443'] }, stranger)).toBe(7117)
    expect(await codeOf('DELETE', `/reserved_domains/${id}`)).toBe(446)
    expect(await codeOf('DELETE', `/edges/https/${edge.id}`)).toBeNull()
    expect(await codeOf('DELETE', `/reserved_domains/${id}`)).toBeNull()
  })
})

describe('an IP policy', () => {
  it('takes its rules with it, and stays while something uses it', async () => {
    const policy = await client.create('/ip_policies')
    const rule = await client.create('/ip_policy_rules', {
      ip_policy_id: policy.id,
      cidr: '2001:DB8::/32',
      action: 'deny',
    })
    expect(rule).toMatchObject({ cidr: '2001:DB8::/32', ip_policy: { id: policy.id } })
    const same = { ip_policy_id: policy.id, cidr: '2001:db8:0::/32', action: 'allow' }
    expect(await codeOf('POST', '/ip_policy_rules', same)).toBe(1408)
    const restriction = await client.create('/ip_restrictions', { type: 'api', ip_policy_ids: [policy.id] })
    expect(await codeOf('POST', '/ip_restrictions', { type: 'api', ip_policy_ids: [policy.id] })).toBe(1802)
    expect(await codeOf('DELETE', `/ip_policies/${policy.id}`)).toBe(1420)
    await client.send('DELETE', `/ip_restrictions/${restriction.id}`)
    expect(await codeOf('DELETE', `/ip_policies/${policy.id}`)).toBeNull()
    expect((await client.send('GET', `/ip_policy_rules/${rule.id}`)).status).toBe(404)
  })
})

describe('backends', () => {
  it('keep their lists on a PATCH, save the two that existing clients always send whole', async () => {
    const response = await client.create('/backends/http_response', { headers: { 'Content-Type': 'text/plain' } })
    expect(response).toMatchObject({ body: '', headers: { 'content-type': 'text/plain' }, status_code: 200 })
    const weighted = await client.create('/backends/weighted', { backends: { [response.id]: 7 } })
    expect(weighted['backends']).toEqual({ [response.id]: 7 })
    expect(await codeOf('DELETE', `/backends/http_response/${response.id}`)).toBe(6502)
    const emptied = await client.send('PATCH', `/backends/weighted/${weighted.id}`, { description: 'd' })
    expect(emptied.body).toMatchObject({ description: 'd', backends: {} })
    const group = await client.create('/backends/tunnel_group', { labels: { a: 'b' } })
    expect(
      (await client.send('PATCH', `/backends/tunnel_group/${group.id}`, { metadata: 'm' })).body['labels'],
    ).toEqual({ a: 'b' })
    expect(await codeOf('DELETE', `/backends/http_response/${response.id}`)).toBeNull()
  })
})

describe('a route of an edge', () => {
  it('belongs to its edge alone, matches once, and goes with it', async () => {
    const [first, second] = [await client.create('/edges/https'), await client.create('/edges/https')]
    const of = (edge: WireBody) => `/edges/https/${edge.id}/routes`
    const route = await client.create(of(first), { match_type: 'path_prefix', match: '/api', edge_id: first.id })
    expect(route).toMatchObject({
      edge_id: first.id,
      uri: `http://api.example.com${of(first)}/${route.id}`,
      backend: null,
    })
    expect(await codeOf('POST', of(first), { match_type: 'path_prefix', match: '/api' })).toBe(7126)
    expect(await codeOf('POST', of(second), { match_type: 'path_prefix', match: 'api' })).toBe(7131)
    expect((await client.send('GET', `${of(second)}/${route.id}`)).status).toBe(404)
    expect((await stranger.send('POST', of(first), { match_type: 'exact_path', match: '/' })).status).toBe(404)
    expect((await client.send('POST', of(route), { match_type: 'exact_path', match: '/' })).status).toBe(404)
    expect((await client.send('GET', of(first))).status).toBe(404)
    await client.send('DELETE', `/edges/https/${first.id}`)
    expect((await client.send('GET', `${of(first)}/${route.id}`)).status).toBe(404)
  })

  it('has modules that are replaced whole, and refuses those that nobody carries out', async () => {
    const edge = await client.create('/edges/https')
    const route = await client.create(`/edges/https/${edge.id}/routes`, { match_type: 'exact_path', match: '/' })
    const path = `/edges/https/${edge.id}/routes/${route.id}`
    const backend = await client.create('/backends/http_response')
    expect((await client.send('GET', `${path}/backend`)).status).toBe(404)
    const put = await client.send('PUT', `${path}/backend`, { backend_id: backend.id, edge_id: edge.id, id: route.id })
    expect(put.body).toEqual({ enabled: true, backend: { id: backend.id, uri: backend.uri } })
    expect(await codeOf('DELETE', `/backends/http_response/${backend.id}`)).toBe(6502)
    const shown = await client.send('PATCH', path, { description: 'd', backend: null })
    expect(shown.body).toMatchObject({ description: 'd', backend: put.body })
    expect(await codeOf('PUT', `${path}/ip_restriction`, { ip_policy_ids: [] })).toBe(7025)
    expect(await codeOf('PUT', `${path}/ip_restriction`, { ip_policy_ids: [unknown('ipp')] })).toBe(7007)
    expect(await codeOf('PUT', `${path}/saml`, {})).toBe(90_302)
    expect(await codeOf('PUT', `${path}/webhook_verification`, { provider: 'zoom', secret: 's' })).toBe(90_303)
    expect(await codeOf('PUT', `${path}/request_headers`, { add: { 'Content-Length': '1' } })).toBe(215)
    expect(await codeOf('PUT', `${path}/user_agent_filter`, { deny: ['(?=x)'] })).toBe(215)
    expect(await codeOf('PUT', `${path}/traffic_policy`, { value: 'a: [' })).toBe(2236)
    expect(await codeOf('PUT', `${path}/policy`, { inbound: [{ actions: [{ type: 'saml' }] }] })).toBe(2236)
    expect(await codeOf('DELETE', `${path}/backend`)).toBeNull()
    expect(await codeOf('DELETE', `${path}/backend`)).toBeNull()
    expect(await codeOf('DELETE', `/backends/http_response/${backend.id}`)).toBeNull()
  })
})

describe('who owns a key', () => {
  it('decides what it may do: a bot manages no bots and names no owners, and an inactive one does nothing', async () => {
    const bot = await client.create('/bot_users', { name: 'worker' })
    const key = await client.create('/api_keys', { owner_id: bot.id })
    const asBot = { authorization: `Bearer ${key.token}` }
    const send = (method: string, url: string, body?: unknown) => client.send(method, url, body, asBot)
    expect((await send('POST', '/bot_users', { name: 'x' })).body.error_code).toBe('ERR_SERVICE_4111')
    expect((await send('POST', '/credentials', { owner_id: unknown('bot') })).body.error_code).toBe('ERR_SERVICE_630')
    const credential = (await send('POST', '/credentials')).body
    expect(credential['owner_id']).toBe(bot.id)
    await client.send('PATCH', `/bot_users/${bot.id}`, { active: false })
    expect((await send('GET', '/credentials')).body.error_code).toBe('ERR_SERVICE_636')
    await expect(api.management.authtokens.verify(credential.token)).rejects.toMatchObject({ reason: 'owner_inactive' })
  })
})

it('GET / tells whose key it is', async () => {
  const { body } = await client.send('GET', '/')
  expect(body).toMatchObject({ account_id: client.accountId, api_key: { id: expect.stringMatching(/^ak_/) } })
})
