import { describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, RecordingHost, runRequest, runResponse } from '../harness.ts'

const add = (headers: unknown, phase?: string) => oneAction('add-headers', { headers }, phase)
const remove = (headers: unknown, phase?: string) => oneAction('remove-headers', { headers }, phase)
const config = '$.inbound[0].actions[0].config'

describe('add-headers', () => {
  it('adds to the request, with lower-case names and beside what is there', async () => {
    const policy = compile(add({ 'X-Visitor': '${conn.client_ip}', Accept: 'text/html' }))
    const { requestHeaders, outcome } = await runRequest(policy, { headers: { accept: 'a/b' } })
    expect(outcome).toBeUndefined()
    expect(requestHeaders).toEqual([
      'Host: app.example.com',
      'accept: a/b',
      'x-visitor: 203.0.113.7',
      'accept: text/html',
    ])
  })

  it('replaces host', async () => {
    const { requestHeaders } = await runRequest(compile(add({ Host: 'inner.example' })))
    expect(requestHeaders).toEqual(['host: inner.example'])
  })

  it('adds to the response', async () => {
    const policy = compile(add({ 'x-status': '${res.status_code} for ${req.method}' }, 'outbound'))
    expect((await runResponse(policy, { status: 201 })).responseHeaders).toEqual(['x-status: 201 for GET'])
  })

  it.each(['a\r\nx-injected: 1', 'a\nb', 'a\0b', 'snow ☃'])(
    'drops the header when a query parameter makes its value %j',
    async (value) => {
      const host = new RecordingHost()
      const policy = compile(add({ 'x-q': "${getQueryParam('q')[0]}", 'x-safe': '1' }), host)
      const { requestHeaders } = await runRequest(policy, { url: `https://a.example/?q=${encodeURIComponent(value)}` })
      expect(requestHeaders).toEqual(['Host: a.example', 'x-safe: 1'])
      expect(host.failures).toEqual([
        { rule: 'inbound[0]', what: 'add-headers', message: 'no valid value, or no room, for x-q' },
      ])
    },
  )

  it('tells later rules what it added', async () => {
    const rules = [
      { actions: [{ type: 'add-headers', config: { headers: { a: '1' } } }] },
      {
        expressions: ["actions.ngrok.add_headers.headers_added.a == '1' && req.headers['a'][0] == '1'"],
        actions: [{ type: 'deny' }],
      },
    ]
    expect((await runRequest(compile({ inbound: rules }))).outcome).toMatchObject({ status: 403 })
  })

  it.each([
    [{}, `${config}.headers`, 'missing_field'],
    [{ a: 1 }, `${config}.headers.a`, 'wrong_type'],
    [Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`h${i}`, 'x'])), `${config}.headers`, 'too_many'],
    [{ 'user-agent': 'x' }, `${config}.headers["user-agent"]`, 'header_not_allowed'],
    [{ 'Content-Length': '1' }, `${config}.headers["Content-Length"]`, 'header_not_allowed'],
    [{ 'transfer-encoding': 'x' }, `${config}.headers["transfer-encoding"]`, 'header_not_allowed'],
    [{ ':authority': 'x' }, `${config}.headers[":authority"]`, 'invalid_header_name'],
    [{ 'a b': 'x' }, `${config}.headers["a b"]`, 'invalid_header_name'],
    [{ 'a\n': 'x' }, `${config}.headers["a\\n"]`, 'invalid_header_name'],
    [{ '': 'x' }, `${config}.headers[""]`, 'invalid_header_name'],
    [{ a: 'x\r\ny' }, `${config}.headers.a`, 'invalid_header_value'],
    [{ a: '☃' }, `${config}.headers.a`, 'invalid_header_value'],
    [{ a: 'x'.repeat(8193) }, `${config}.headers.a`, 'too_long'],
    [{ ['a'.repeat(257)]: 'x' }, `${config}.headers.${'a'.repeat(257)}`, 'too_long'],
    [{ a: '${req.nope}' }, `${config}.headers.a`, 'unknown_variable'],
    [{ a: '${req.method' }, `${config}.headers.a`, 'unterminated_template'],
  ])('refuses %j', (headers, path, code) => {
    expect(problemsOf(add(headers))).toContainEqual(expect.objectContaining({ path, code }))
  })

  it('counts positions from the start of the value', () => {
    expect(problemsOf(add({ a: 'v-${req.nope}' }))[0]).toMatchObject({ line: 1, column: 8, offset: 7 })
  })
})

describe('remove-headers', () => {
  it('removes all values whatever their case, from requests and responses', async () => {
    const headers = [
      ['X-A', '1'],
      ['x-a', '2'],
      ['B', '3'],
    ] as const
    expect((await runRequest(compile(remove(['x-A', 'X-a', 'nope'])), { headers })).requestHeaders).toEqual([
      'Host: app.example.com',
      'B: 3',
    ])
    expect((await runResponse(compile(remove(['B'], 'outbound')), { headers })).responseHeaders).toEqual([
      'X-A: 1',
      'x-a: 2',
    ])
  })

  it('runs in the order of the actions', async () => {
    const added = { type: 'add-headers', config: { headers: { a: 'new' } } }
    const removed = { type: 'remove-headers', config: { headers: ['a'] } }
    const headers = { a: 'old' }
    const run = async (...actions: unknown[]) =>
      (await runRequest(compile({ inbound: [{ actions }] }), { headers })).requestHeaders.slice(1)
    expect(await run(removed, added)).toEqual(['a: new'])
    expect(await run(added, removed)).toEqual([])
  })

  it.each([
    [[], `${config}.headers`, 'missing_field'],
    [['host'], `${config}.headers[0]`, 'header_not_allowed'],
    [['User-Agent'], `${config}.headers[0]`, 'header_not_allowed'],
    [['a', 'Connection'], `${config}.headers[1]`, 'header_not_allowed'],
    [['a:'], `${config}.headers[0]`, 'invalid_header_name'],
    ['a', `${config}.headers`, 'wrong_type'],
  ])('refuses %j', (headers, path, code) => {
    expect(problemsOf(remove(headers))).toContainEqual(expect.objectContaining({ path, code }))
  })
})
