import { afterAll, describe, expect, it } from 'vitest'
import { engines, startTestApi } from './api-harness.ts'

const nul = '\u0000'
const loneSurrogate = '\ud800'
const zeros = '0'.repeat(27)

describe.each(engines)('on %s', async (engine) => {
  const api = await startTestApi(engine)
  const client = await api.newClient()
  const other = await api.newClient()
  afterAll(() => api[Symbol.asyncDispose]())

  it.each([
    ['a NUL', `a${nul}b`],
    ['a lone surrogate', `a${loneSurrogate}b`],
    ['an emoji and combining marks', '🙂é\u202e'],
    ['control characters', '\u0001\u001b[2J\r\n'],
    ['quotes and SQL', `'; drop table resources; --"\\`],
  ])('texts with %s are refused or come back as they were', async (_case, text) => {
    for (const [path, field] of [
      ['/ip_policies', 'description'],
      ['/ip_policies', 'metadata'],
      ['/bot_users', 'name'],
      ['/backends/http_response', 'body'],
    ] as const) {
      const { status, body } = await client.send('POST', path, { [field]: text })
      expect([201, 400]).toContain(status)
      if (status === 400) continue
      const read = await client.send('GET', `${path}/${body.id}`)
      expect(read.body[field]).toBe(text)
      expect((await client.send('DELETE', `${path}/${body.id}`)).status).toBe(204)
    }
  })

  it.each(['%00', `bot_${zeros}%00`, '%ED%A0%80', '%F0%9F%99%82', 'x'.repeat(90)])(
    'an id or before_id of %s belongs to nothing',
    async (id) => {
      expect((await client.send('GET', `/bot_users/${id}`)).status).toBe(404)
      expect((await client.send('PATCH', `/bot_users/${id}`, { name: 'n' })).status).toBe(404)
      expect((await client.send('DELETE', `/bot_users/${id}`)).status).toBe(404)
      expect((await client.send('GET', `/endpoints/${id}`)).status).toBe(404)
      expect([200, 400]).toContain((await client.send('GET', `/bot_users?before_id=${id}`)).status)
      expect(
        (await client.send('POST', `/edges/https/${id}/routes`, { match_type: 'exact_path', match: '/' })).status,
      ).toBe(404)
    },
  )

  it.each([
    ['/backends/weighted', { backends: { [`bkdhr_${zeros}`]: 1 } }],
    ['/backends/weighted', { backends: { [nul]: 1 } }],
    ['/backends/failover', { backends: [nul] }],
    ['/bot_users', { name: `a${nul}b` }],
    ['/bot_users', { name: loneSurrogate }],
    ['/api_keys', { owner_id: `usr_${zeros}` }],
    ['/credentials', { owner_id: `usr_${nul}` }],
    ['/backends/http_response', { status_code: 2 ** 53 }],
    ['/backends/http_response', { status_code: -1 }],
    ['/backends/http_response', { headers: { 'x-a': 'b\r\nset-cookie: c=d' } }],
    ['/backends/http_response', { headers: { 'x-a\r\nb': 'c' } }],
    ['/backends/http_response', { headers: { 'x-a': `b${nul}` } }],
    ['/backends/http_response', { headers: { 'x:a': 'b' } }],
    ['/ip_policy_rules', { ip_policy_id: nul, cidr: '10.0.0.0/8', action: 'allow' }],
    ['/api_keys', { owner_id: nul }],
    ['/credentials', { acl: [`bind:${nul}`] }],
    ['/reserved_domains', { domain: `a${nul}.example.com` }],
    ['/agent_ingresses', { domain: `a${nul}.example.com` }],
  ])('POST %s %j is refused', async (path, body) => {
    const answer = await client.send('POST', path, body)
    expect(answer.body).toMatchObject({ status_code: 400, error_code: expect.stringMatching(/^ERR_SERVICE_/) })
  })

  it.each([
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    '-001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '1969-12-31T23:59:59Z',
  ])('a certificate valid until %s is refused or shows it as sent', async (valid_until) => {
    const authority = await client.create('/ssh_certificate_authorities', { private_key_type: 'ed25519' })
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f'
    const input = { ssh_certificate_authority_id: authority.id, public_key, valid_until }
    const { status, body } = await client.send('POST', '/ssh_user_certificates', input)
    expect([201, 400]).toContain(status)
    expect([undefined, valid_until]).toContain(body['valid_until'])
  })

  it('an e-mail address with a NUL has no account', async () => {
    const { accounts } = api.management
    expect(await accounts.authenticate(`a${nul}@example.com`, 'a long password')).toBeNull()
    await expect(accounts.create(`a${nul}@example.com`, null, 0)).rejects.toMatchObject({
      reason: 'account_email_invalid',
    })
  })

  it('pages before an id that is deleted, or of another account, by its place alone', async () => {
    const ids = []
    for (let n = 0; n < 3; n += 1) ids.push((await client.create('/ip_policies')).id)
    const foreign = await other.create('/ip_policies')
    const sorted = ids.toSorted((a, b) => (a < b ? 1 : -1))
    const list = async (query: string) => {
      const { body } = await client.send('GET', `/ip_policies${query}`)
      return (body['ip_policies'] as { id: string }[]).map(({ id }) => id)
    }
    await client.send('DELETE', `/ip_policies/${sorted[1]}`)
    expect(await list(`?before_id=${sorted[1]}`)).toEqual([sorted[2]])
    const kept = sorted.filter((id) => id !== sorted[1])
    expect(await list(`?before_id=${foreign.id}`)).toEqual(kept.filter((id) => id < foreign.id))
    expect(await list('?before_id=')).toEqual(kept)
  })

  it('concurrent changes of one resource all count, or are refused', async () => {
    const { id } = await client.create('/backends/http_response')
    const changes = Array.from({ length: 20 }, (_, n) =>
      client.send('PATCH', `/backends/http_response/${id}`, n % 2 === 0 ? { body: `b${n}` } : { metadata: `m${n}` }),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([])
    const { body } = await client.send('GET', `/backends/http_response/${id}`)
    expect([String(body['body'])[0], String(body['metadata'])[0]]).toEqual(['b', 'm'])
  })

  it.each([
    ['two keys of one name', '{"description":"a","description":"b"}', 201],
    ['a prototype', '{"__proto__":{"description":"x"}}', 400],
    ['a constructor', '{"constructor":{"prototype":{"x":1}}}', 400],
    ['a thousand keys', JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]))), 400],
    ['deep nesting', `{"description":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, 400],
    ['a huge number', '{"description":1e999}', 400],
    ['two megabytes', `{"metadata":"${'x'.repeat(2 * 1024 * 1024)}"}`, 413],
  ])('a body with %s is answered', async (_case, body, status) => {
    expect((await client.send('POST', '/ip_policies', body)).status).toBe(status)
  })
})
