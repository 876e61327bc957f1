import { once } from 'node:events'
import { connect as connectHttp2, createServer } from 'node:http2'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, startTestApi } from './api-harness.ts'

const slowSenders = 600

let api: TestApi
let client: Client
let port: number
beforeAll(async () => {
  api = await startTestApi()
  client = await api.newClient()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  port = (api.app.server.address() as AddressInfo).port
})
afterAll(() => api[Symbol.asyncDispose]())

function sendRaw(bytes: string): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return socket
}

const headOf = (method: string, path: string, more = '') =>
  `${method} ${path} HTTP/1.1\r\nhost: api.example.com\r\nauthorization: Bearer ${client.token}\r\nservice-version: 2\r\n${more}\r\n`
const partOfBody = (length: number) => `content-type: application/json\r\ncontent-length: ${length}\r\n`

describe('what is not a request', () => {
  it.each([
    ['no HTTP', () => '\u0016\u0003\u0001 hello\r\n\r\n', 400, 'ERR_SERVICE_90005'],
    [
      'two lengths',
      () => headOf('POST', '/credentials', 'content-length: 2\r\ncontent-length: 3\r\n'),
      400,
      'ERR_SERVICE_90005',
    ],
    [
      'a length and chunks',
      () => headOf('POST', '/credentials', 'content-length: 2\r\ntransfer-encoding: chunked\r\n'),
      400,
      'ERR_SERVICE_90005',
    ],
    ['no host', () => 'GET /credentials HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'ERR_SERVICE_90005'],
    [
      'two hosts',
      () => headOf('GET', '/credentials', 'host: other.example.com\r\nconnection: close\r\n'),
      400,
      'ERR_SERVICE_90005',
    ],
    ['headers without end', () => headOf('GET', '/credentials', `x: ${'a'.repeat(70_000)}`), 431, 'ERR_SERVICE_3801'],
  ])('%s gets an error of the usual form, and the connection ends', async (_case, bytes, status, code) => {
    const [head, body] = (await text(sendRaw(bytes()))).split('\r\n\r\n')
    expect(head).toContain(`HTTP/1.1 ${status} `)
    expect(JSON.parse(body ?? '')).toEqual({
      error_code: code,
      status_code: status,
      msg: expect.any(String),
      details: { operation_id: expect.stringMatching(/^op_/) },
    })
  })
})

it('takes no notice of an expectation that it does not know', async () => {
  const head = headOf('GET', '/credentials', 'expect: wonders\r\nconnection: close\r\n')
  expect(await text(sendRaw(head))).toMatch(/^HTTP\/1\.1 200 [^]*"credentials":/)
})

it('answers requests that come one behind the other in their order', async () => {
  const body = '{"description":"piped"}'
  const create = headOf('POST', '/ip_policies', partOfBody(body.length)) + body
  const replies = await text(
    sendRaw(create + headOf('GET', '/nothing') + headOf('GET', '/ip_policies?limit=1', 'connection: close\r\n')),
  )
  expect(replies.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 201', 'HTTP/1.1 404', 'HTTP/1.1 200'])
})

it('serves others while many send their bodies slowly', async () => {
  const senders = Array.from({ length: slowSenders }, () =>
    sendRaw(`${headOf('POST', '/credentials', partOfBody(9))}{`),
  )
  await Promise.all(senders.map((socket) => once(socket, 'connect')))
  const seen = await client.send('GET', '/credentials')
  for (const socket of senders) socket.destroy()
  expect(seen.status).toBe(200)
})

it('refuses what is too much at once, and nothing afterwards', async () => {
  const answers = await Promise.all(Array.from({ length: 1000 }, () => client.send('GET', '/credentials')))
  const statuses = new Set(answers.map(({ status }) => status))
  expect(statuses).toEqual(new Set([200, 429]))
  expect((await client.send('GET', '/credentials')).status).toBe(200)
})

// Node takes the shorter of the two limits for the headers, whichever it was given as.
it('gives up on a request that does not arrive', () => {
  const { headersTimeout, requestTimeout } = api.app.server
  expect([headersTimeout, requestTimeout]).toEqual([20_000, 30_000])
})

it.runIf(process.env['TEST_LONG'] !== undefined)(
  'ends a request whose body stays away',
  async () => {
    const reply = await text(sendRaw(`${headOf('POST', '/credentials', partOfBody(9))}{`))
    expect(reply).toContain('ERR_SERVICE_3802')
  },
  40_000,
)

describe('a body', () => {
  const json = 'application/json'
  it.each([
    ['in gzip', gzipSync('{}'), { 'content-type': json, 'content-encoding': 'gzip' }, 415, 90_006],
    [
      'in latin-1',
      Buffer.from('{"description":"\xfc"}', 'latin1'),
      { 'content-type': `${json}; charset=latin1` },
      415,
      210,
    ],
    [
      'of bytes that are not UTF-8',
      Buffer.from('{"description":"\xfc"}', 'latin1'),
      { 'content-type': json },
      400,
      213,
    ],
  ])('%s is refused', async (_case, payload, headers, status, code) => {
    const { body } = await client.send('POST', '/ip_policies', payload, headers)
    expect(body).toMatchObject({ status_code: status, error_code: `ERR_SERVICE_${code}` })
  })

  it.each([
    ['with its charset', '{}', { 'content-type': `${json}; Charset="UTF-8"` }],
    ['that names the encoding of none', '{}', { 'content-type': json, 'content-encoding': 'identity' }],
    ['with a byte order mark', '\ufeff{}', { 'content-type': json }],
  ])('%s is taken', async (_case, payload, headers) => {
    expect((await client.send('POST', '/ip_policies', payload, headers)).status).toBe(201)
  })
})

it('gives addresses on the host that an HTTP/2 request names', async () => {
  const server = createServer((request, response) => api.app.routing(request as never, response as never))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const headers = { authorization: `Bearer ${client.token}`, 'service-version': '2', ':authority': 'api.example.com' }
  const reply = await text(session.request({ ':path': '/credentials', ...headers }))
  expect(JSON.parse(reply)).toMatchObject({ uri: 'http://api.example.com/credentials' })
  session.close()
  server.close()
})

it('answers OPTIONS without an origin too', async () => {
  expect((await api.app.inject({ method: 'OPTIONS', url: '/credentials' })).statusCode).toBe(204)
})
