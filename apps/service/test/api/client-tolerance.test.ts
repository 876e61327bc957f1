import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noProvisioning } from '../../src/resources/certificate-management/certificate-policy.ts'
import { type Client, type TestApi, type WireBody, startTestApi } from './api-harness.ts'

/* What existing clients send besides what they mean, and what their decoders need in every reply. */

let api: TestApi
let client: Client
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
})
afterAll(() => api[Symbol.asyncDispose]())

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

describe('a client', () => {
  it.each([
    ['/ip_policies', {}, {}],
    ['/credentials', {}, { acl: [], token: expect.any(String), owner_id: expect.any(String) }],
    ['/backends/tunnel_group', {}, { labels: {}, tunnels: [] }],
    ['/backends/http_response', {}, { body: '', headers: null, status_code: 200 }],
    ['/backends/weighted', {}, { backends: {} }],
    ['/backends/failover', {}, { backends: [] }],
    ['/edges/https', {}, { routes: [], hostports: null, mutual_tls: null, tls_termination: null }],
    ['/edges/tcp', {}, { hostports: null, backend: null, ip_restriction: null, traffic_policy: null }],
    ['/agent_ingresses', { domain: 'gw.example.dev' }, { certificate_management_policy: null }],
  ])('finds every field of %s in its replies, lists as arrays and maps as objects', async (path, input, fields) => {
    const created = await client.create(path, input)
    expect(created).toMatchObject({ ...fields, created_at: expect.stringMatching(time) })
    const read = (await client.send('GET', `${path}/${created.id}`)).body
    expect(Object.keys(read).toSorted()).toEqual(Object.keys(created).toSorted())
  })

  it('may leave arguments out as zero values or null on creation', async () => {
    const unset = { description: '', metadata: null, private_key_type: '', elliptic_curve: '', key_size: 0 }
    expect(await client.create('/ssh_certificate_authorities', unset)).toMatchObject({ key_type: 'ed25519' })
    expect(await client.create('/credentials', { acl: [], owner_id: '', description: null })).toMatchObject({ acl: [] })
    const legacy = { name: '', http_endpoint_configuration_id: null, https_endpoint_configuration_id: null }
    await client.create('/reserved_domains', { ...legacy, domain: 'legacy.example.dev' })
    expect((await client.send('POST', '/credentials', { owner_email: 'a@example.com' })).body.error_code).toBe(
      'ERR_SERVICE_214',
    )
    const { id, region } = await client.create('/reserved_domains', { domain: 'us.example.dev', region: 'us' })
    expect(region).toBe('')
    const change = (body: object) => client.send('PATCH', `/reserved_domains/${id}`, body)
    expect((await change({ region: 'us', description: 'x' })).body).toMatchObject({ region: '', description: 'x' })
    expect((await change({ region: 'mars' })).body.error_code).toBe('ERR_SERVICE_451')
    const address = await client.create('/reserved_addrs', { region: '' })
    expect(address).toMatchObject({ region: 'local' })
  })

  it('may reserve a domain by its older field name, whole or as a label below the zone, and not by both', async () => {
    expect(await client.create('/reserved_domains', { name: 'older.example.dev' })).toMatchObject({
      domain: 'older.example.dev',
    })
    const { domain } = await client.create('/reserved_domains', { name: 'older', region: 'eu' })
    expect(domain).toMatch(/^older\../)
    const both = await client.send('POST', '/reserved_domains', { name: 'a.example.dev', domain: 'b.example.dev' })
    expect(both.body.error_code).toBe('ERR_SERVICE_449')
    expect((await client.send('POST', '/reserved_domains', { name: 7 })).body.error_code).toBe('ERR_SERVICE_215')
    const bad = await client.send('POST', '/reserved_domains', { name: 'under_score.example.dev' })
    expect(bad.body.error_code).toBe('ERR_SERVICE_438')
  })

  it('gets back the regions that it named, although nothing depends on them', async () => {
    const resolves_to = [{ value: 'global' }, { value: 'eu-fra-1' }]
    const domain = await client.create('/reserved_domains', { domain: 'resolved.example.dev', resolves_to })
    expect(domain['resolves_to']).toEqual(resolves_to)
    const fewer = await client.send('PATCH', `/reserved_domains/${domain.id}`, { resolves_to: [{ value: 'global' }] })
    expect(fewer.body['resolves_to']).toEqual([{ value: 'global' }])
    expect(await client.create('/reserved_addrs', { region: 'eu' })).toMatchObject({ region: 'eu' })
    const unknown = await client.send('POST', '/reserved_addrs', { region: 'mars' })
    expect(unknown.body.error_code).toBe('ERR_SERVICE_500')
  })

  it('gets back the address of its error page, which has to be one of the web', async () => {
    const fields = { domain: 'sorry.example.dev', error_redirect_url: 'https://example.com/sorry' }
    const domain = await client.create('/reserved_domains', fields)
    expect(domain['error_redirect_url']).toBe(fields.error_redirect_url)
    const script = await client.send('PATCH', `/reserved_domains/${domain.id}`, { error_redirect_url: 'javascript:x' })
    expect(script.status).toBe(400)
    expect(JSON.stringify(script.body)).toContain('error_redirect_url must be an http:// or https:// address')
  })

  it('may send back all that it was shown of a domain, with one change', async () => {
    for (const domain of ['echoed.example.dev', 'echoed.tunnel.example']) {
      const created = await client.create('/reserved_domains', { domain })
      const { certificate_management_policy: policy, resolves_to } = created
      const echo = { certificate_id: '', certificate_management_policy: policy, resolves_to, metadata: '' }
      const changed = await client.send('PATCH', `/reserved_domains/${created.id}`, { ...echo, description: 'new' })
      expect(changed.body).toEqual({ ...created, description: 'new' })
    }
  })

  it('may send back the id of a certificate that came by itself, beside its policy', async () => {
    const certificateId = `cert_${'0'.repeat(27)}`
    const progress = async () => ({ status: null, certificateId })
    await using other = await startTestApi('sqlite', { provisioning: { ...noProvisioning, progress } })
    const owner = await other.newClient()
    const created = await owner.create('/reserved_domains', { domain: 'managed.example.dev' })
    expect(created['certificate']).toMatchObject({ id: certificateId })
    const { certificate_management_policy } = created
    const change = (body: object) => owner.send('PATCH', `/reserved_domains/${created.id}`, body)
    const echo = { certificate_id: certificateId, certificate_management_policy, description: 'new' }
    expect((await change(echo)).body).toEqual({ ...created, description: 'new' })
    const another = await change({ ...echo, certificate_id: `cert_${'1'.repeat(27)}` })
    expect(another.body.error_code).toBe('ERR_SERVICE_434')
  })

  it('may send zero values with a change for what nothing can be without', async () => {
    const edge = await client.create('/edges/https')
    const routes = `/edges/https/${edge.id}/routes`
    const route = await client.create(routes, { match_type: 'exact_path', match: '/kept' })
    const zeros = { match_type: '', match: '', description: '', metadata: 'new' }
    const changed = await client.send('PATCH', `${routes}/${route.id}`, zeros)
    expect(changed.body).toMatchObject({ match_type: 'exact_path', match: '/kept', metadata: 'new' })
    const upstream = await client.create('/backends/static', { address: '192.0.2.1:80' })
    const kept = await client.send('PATCH', `/backends/static/${upstream.id}`, { address: '', metadata: 'new' })
    expect(kept.body).toMatchObject({ address: '192.0.2.1:80', metadata: 'new' })
    const policy = await client.create('/ip_policies')
    const restriction = await client.create('/ip_restrictions', { type: 'agent', ip_policy_ids: [policy.id] })
    const { body } = await client.send('PATCH', `/ip_restrictions/${restriction.id}`, { ip_policy_ids: [] })
    expect(body['ip_policies']).toMatchObject([{ id: policy.id }])
  })

  it('may send every unset field as null, and the ids of the path, with a change', async () => {
    const edge = await client.create('/edges/https', { description: 'kept', metadata: 'kept' })
    const nulls = {
      description: null,
      hostports: null,
      mutual_tls: null,
      tls_termination: null,
      legacy_id: null,
      id: edge.id,
    }
    const changed = await client.send('PATCH', `/edges/https/${edge.id}`, { ...nulls, metadata: 'new' })
    expect(changed.body).toMatchObject({ description: 'kept', metadata: 'new' })
    const routes = `/edges/https/${edge.id}/routes`
    const route = await client.create(routes, { edge_id: edge.id, match_type: 'exact_path', match: '/' })
    const ids = { edge_id: edge.id, id: route.id }
    expect((await client.send('PATCH', `${routes}/${route.id}`, { ...ids, match: null })).body).toMatchObject({
      match: '/',
    })
    const inverted = { ...ids, match_type: 'exact_path', match: '/modules', compression: {} }
    expect(await client.create(routes, inverted)).toMatchObject({ compression: { enabled: true } })
    const backend = await client.create('/backends/tunnel_group')
    const module = await client.send('PUT', `${routes}/${route.id}/backend`, { ...ids, backend_id: backend.id })
    expect(module.body).toMatchObject({ enabled: true, backend: { id: backend.id } })
  })

  it('may begin a list with an empty before_id, and gets an empty page behind the last', async () => {
    const { id } = await client.create('/bot_users', { name: 'pager' })
    const first = await client.send('GET', '/bot_users?before_id=&limit=100')
    expect(first.body).toMatchObject({
      bot_users: [{ id }],
      next_page_uri: null,
      uri: 'http://api.example.com/bot_users',
    })
    const past = await client.send('GET', `/bot_users?before_id=${id}`)
    expect(past).toMatchObject({ status: 200, body: { bot_users: [], next_page_uri: null } })
  })

  it('gets errors as JSON with a message, the status, and details that are all strings', async () => {
    for (const [method, path] of [
      ['GET', '/bot_users/unknown'],
      ['GET', '/nothing'],
      ['POST', '/bot_users'],
      ['PATCH', '/credentials/unknown'],
    ] as const) {
      const { body, headers, status } = await client.send(method, path)
      expect(headers['content-type']).toMatch(/^application\/json/)
      expect(body).toMatchObject({ status_code: status, msg: expect.any(String) })
      expect(Object.values(body.details).map((detail) => typeof detail)).not.toContain('object')
    }
  })

  it.each(['restart', 'stop', 'update'])('may send anything as the body of %s', async (command) => {
    for (const body of [undefined, '{}', 'ts_1', '{"id":"ts_1"}', 'null', '[']) {
      const answer = await client.send('POST', `/tunnel_sessions/ts_${'0'.repeat(27)}/${command}`, body)
      expect(answer).toMatchObject({ status: 404, body: { msg: 'Resource not found' } satisfies Partial<WireBody> })
    }
  })

  it('gets an empty 204 for what it deletes', async () => {
    const { id } = await client.create('/ip_policies')
    const headers = { authorization: `Bearer ${client.token}`, 'service-version': '2' }
    const reply = await api.app.inject({ method: 'DELETE', url: `/ip_policies/${id}`, headers })
    expect([reply.statusCode, reply.body, reply.headers['content-type']]).toEqual([204, '', undefined])
  })
})
