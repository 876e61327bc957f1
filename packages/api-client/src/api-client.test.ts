import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from 'vitest'
import { createApiClient } from './api-client.ts'
import { ApiError } from './api-error.ts'

let server: ReturnType<typeof createServer> | undefined
afterEach(() => server?.close())

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** A client whose requests a function answers with a status and a body. */
async function clientOf(answer: (seen: Seen) => [status: number, body?: unknown]) {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url, headers } = request
    const [status, body] = answer({ method, url, headers, body: await text(request) })
    response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body))
  }
  server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return createApiClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' })
}

it('sends key, version and content type, and reads the reply', async () => {
  let seen: Seen | undefined
  const client = await clientOf((request) => {
    seen = request
    return [201, { id: 'bot_1', name: 'n', active: true }]
  })
  expect(await client.botUsers.create({ name: 'n' })).toMatchObject({ id: 'bot_1', active: true })
  expect(seen).toMatchObject({ method: 'POST', url: '/bot_users', body: '{"name":"n"}' })
  expect(seen?.headers).toMatchObject({
    authorization: 'Bearer key',
    'service-version': '2',
    'content-type': 'application/json',
  })
})

it('iterates over all pages and stops at the last', async () => {
  const client = await clientOf(({ url = '' }) => {
    const before = Number(new URL(url, 'http://host').searchParams.get('before_id') || 8)
    const ids = [before - 1, before - 2, before - 3].filter((id) => id > 0)
    return [
      200,
      {
        keys: ids.map((id) => ({ id: String(id) })),
        next_page_uri: before > 4 ? `http://host/api_keys?before_id=${before - 3}` : null,
      },
    ]
  })
  const seen: string[] = []
  for await (const key of client.apiKeys.all({ limit: 3 })) seen.push(key.id)
  expect(seen).toEqual(['7', '6', '5', '4', '3', '2', '1'])
})

it('asks with a filter, and goes on where the service has stopped looking', async () => {
  const asked: (string | null)[][] = []
  const client = await clientOf(({ url = '' }) => {
    const query = new URL(url, 'http://host').searchParams
    asked.push([query.get('before_id'), query.get('filter')])
    const isFirst = query.get('before_id') === ''
    const next = isFirst ? `http://host/endpoints?before_id=ep_looked_at&filter=x&limit=100` : null
    return [200, { endpoints: [{ id: isFirst ? 'ep_9' : 'ep_1' }], next_page_uri: next }]
  })
  const filter = 'obj.region == "a&b"'
  const seen: string[] = []
  for await (const { id } of client.endpoints.all({ filter })) seen.push(id)
  expect(seen).toEqual(['ep_9', 'ep_1'])
  expect(asked).toEqual([
    ['', filter],
    ['ep_looked_at', filter],
  ])
})

it('turns a refusal into a typed error', async () => {
  const client = await clientOf(() => [
    400,
    { error_code: 'ERR_SERVICE_1406', status_code: 400, msg: 'bad', details: { operation_id: 'op_1' } },
  ])
  const error: unknown = await client.ipPolicies.get('ipp_1').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 400,
    code: 'ERR_SERVICE_1406',
    message: 'bad',
    details: { operation_id: 'op_1' },
  })
  expect((error as ApiError).hasNumber(1406)).toBe(true)
})

it('says what it knows when something else answers', async () => {
  const client = await clientOf(() => [502])
  await expect(client.ipPolicies.get('ipp_1')).rejects.toMatchObject({ status: 502, code: null, isNotFound: false })
})

it('takes a 204 without a body, and escapes ids', async () => {
  let path: string | undefined
  const client = await clientOf(({ url }) => {
    path = url
    return [204]
  })
  await client.session('ts/../1').stop()
  expect(path).toBe('/tunnel_sessions/ts%2F..%2F1/stop')
})

it('takes the certificate from a domain by calls of their own', async () => {
  const calls: string[] = []
  const client = await clientOf(({ method, url }) => {
    calls.push(`${method} ${url}`)
    return [204]
  })
  await client.certificateOf('rd_1').detach()
  await client.certificateOf('rd_1').endManagement()
  expect(calls).toEqual([
    'DELETE /reserved_domains/rd_1/certificate',
    'DELETE /reserved_domains/rd_1/certificate_management_policy',
  ])
})
