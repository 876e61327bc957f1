import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, startTestApi } from './api-harness.ts'

let api: TestApi
let client: Client
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
})
afterAll(() => api[Symbol.asyncDispose]())

describe('a request', () => {
  it.each([
    ['no key', { authorization: undefined }, 403, 200],
    ['another scheme', { authorization: 'Basic YTpi' }, 403, 201],
    ['a malformed key', { authorization: 'Bearer nonsense' }, 403, 202],
    ['an unknown key', { authorization: `Bearer ${'0'.repeat(27)}_${'a'.repeat(21)}` }, 403, 203],
    ['the id of a credential', { authorization: `Bearer cr_${'0'.repeat(27)}` }, 400, 207],
    ['the id of a key', { authorization: `Bearer ak_${'0'.repeat(27)}` }, 400, 208],
    ['no version', { 'service-version': undefined }, 400, 218],
    ['a wrong version', { 'service-version': '3' }, 400, 217],
  ])('with %s is refused', async (_case, headers, status, code) => {
    const answer = await client.send('GET', '/credentials', undefined, headers)
    expect(answer.body).toMatchObject({ status_code: status, error_code: `ERR_SERVICE_${code}` })
    expect(answer.body.details.operation_id).toMatch(/^op_[0-9A-Za-z]{27}$/)
  })

  it('gets its error codes in the spelling of its version header', async () => {
    const headers = { 'service-version': undefined, 'ngrok-version': '2' }
    expect((await client.send('GET', '/credentials', undefined, headers)).status).toBe(200)
    const refused = await client.send('POST', '/bot_users', {}, headers)
    expect(refused.body.error_code).toBe('ERR_NGROK_4109')
  })

  it('with an authtoken as its key is told so', async () => {
    const { token } = await client.create('/credentials')
    const answer = await client.send('GET', '/credentials', undefined, { authorization: `Bearer ${token}` })
    expect(answer.body).toMatchObject({ status_code: 400, error_code: 'ERR_SERVICE_206' })
  })

  it('with a deleted key is refused at once', async () => {
    const key = await client.create('/api_keys', { description: 'short-lived' })
    const headers = { authorization: `Bearer ${key.token}` }
    expect((await client.send('GET', '/api_keys', undefined, headers)).status).toBe(200)
    await client.send('DELETE', `/api_keys/${key.id}`)
    expect((await client.send('GET', '/api_keys', undefined, headers)).body.error_code).toBe('ERR_SERVICE_203')
  })

  it.each([
    ['POST', '/credentials', '{"a"', { 'content-type': 'application/json' }, 400, 213],
    ['POST', '/credentials', '[]', { 'content-type': 'application/json' }, 400, 215],
    ['POST', '/credentials', '"text"', { 'content-type': 'application/json' }, 400, 215],
    ['POST', '/credentials', '{}', { 'content-type': 'text/plain' }, 415, 210],
    ['POST', '/credentials', '{"nothing":1}', { 'content-type': 'application/json' }, 400, 214],
    ['DELETE', '/credentials/x', '{}', { 'content-type': 'application/json' }, 400, 211],
    ['GET', '/credentials?limit=0', undefined, {}, 400, 233],
    ['GET', '/credentials?limit=101', undefined, {}, 400, 233],
    ['GET', '/credentials?limit=1.5', undefined, {}, 400, 244],
    ['GET', '/credentials?limit=1&limit=2', undefined, {}, 400, 232],
    ['GET', '/credentials?beforeId=x', undefined, {}, 400, 231],
    ['GET', '/credentials?limit=%zz', undefined, {}, 400, 230],
  ])('%s %s %s is refused with its number', async (method, url, body, headers, status, code) => {
    const answer = await client.send(method, url, body, headers)
    expect(answer.body).toMatchObject({ status_code: status, error_code: `ERR_SERVICE_${code}` })
  })

  it.each([
    ['GET', '/nothing'],
    ['PUT', '/credentials'],
    ['HEAD', '/credentials'],
    ['GET', '/%zz'],
    ['GET', '/ip_policies/'],
    ['DELETE', '/backends/static/'],
    ['POST', '/edges/https//routes'],
  ])('%s %s has no such path, with or without a key', async (method, url) => {
    for (const headers of [{}, { authorization: undefined }]) {
      const answer = await client.send(method, url, undefined, headers)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(
        method === 'HEAD' ? null : { status_code: 404, msg: 'Not Found', details: { path: url } },
      )
    }
  })

  it('may say a content type without having a body', async () => {
    const { id } = await client.create('/credentials')
    const headers = { 'content-type': 'application/json' }
    expect((await client.send('GET', `/credentials/${id}`, undefined, headers)).status).toBe(200)
    expect((await client.send('DELETE', `/credentials/${id}`, undefined, headers)).status).toBe(204)
    expect((await client.send('POST', '/credentials', undefined, headers)).status).toBe(201)
  })

  it('counts limits in bytes, not in characters', async () => {
    await client.create('/credentials', { description: 'ü'.repeat(127) })
    const long = await client.send('POST', '/credentials', { description: 'ü'.repeat(128) })
    expect(long.body.error_code).toBe('ERR_SERVICE_604')
    await client.create('/credentials', { metadata: 'm'.repeat(4096) })
    const longer = await client.send('POST', '/credentials', { metadata: 'm'.repeat(4097) })
    expect(longer.body).toMatchObject({ error_code: 'ERR_SERVICE_605', msg: expect.stringContaining('4096') })
  })

  it('from a page of another origin gets its preflight and its reply', async () => {
    const origin = 'https://dashboard.example.com'
    const preflight = await api.app.inject({
      method: 'OPTIONS',
      url: '/credentials',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '600',
    })
    const { headers } = await client.send('GET', '/credentials', undefined, { origin })
    expect(headers['access-control-allow-origin']).toBe(origin)
  })
})

it('limits requests per account when asked to', async () => {
  await using limited = await startTestApi('sqlite', { requestsPerMinute: 2 })
  const [first, other] = [await limited.newClient(), await limited.newClient()]
  const statuses = [await first.send('GET', '/credentials'), await first.send('GET', '/credentials')]
  expect(statuses.map((answer) => answer.status)).toEqual([200, 200])
  const refused = await first.send('GET', '/credentials')
  expect(refused.body).toMatchObject({ status_code: 429, error_code: 'ERR_SERVICE_226' })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await other.send('GET', '/credentials')).status).toBe(200)
})
