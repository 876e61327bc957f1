import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SlidingWindow } from '../../src/actions/sliding-window.ts'
import { begin, compile, oneAction, problemsOf, RecordingHost, runRequest, runResponse } from '../harness.ts'

const config = '$.inbound[0].actions[0].config'

describe('rate-limit', () => {
  const base = { name: 'n', algorithm: 'sliding_window', capacity: 2, rate: '60s', bucket_key: ['conn.client_ip'] }
  const limit = (fields: object = {}) => oneAction('rate-limit', { ...base, ...fields })

  it('lets the capacity through in any window, and says when there is room again', async () => {
    const host = new RecordingHost()
    host.nowMs = 60_000 * 1000
    const policy = compile(limit(), host)
    const status = async () => (await runRequest(policy)).outcome
    expect([await status(), await status()]).toEqual([undefined, undefined])
    expect(await status()).toMatchObject({ status: 429, headers: [['retry-after', '60']] })
    host.nowMs += 59_999
    expect(await status()).toMatchObject({ status: 429, headers: [['retry-after', '1']] })
    host.nowMs += 1
    expect(await status()).toBeUndefined()
  })

  it('counts every key for itself, and no two combinations as one', async () => {
    const policy = compile(limit({ capacity: 1, bucket_key: ["getQueryParam('a')[0]", "getQueryParam('b')[0]"] }))
    const isLimited = async (query: string) =>
      (await runRequest(policy, { url: `https://a.example/?${query}` })).outcome !== undefined
    expect(await isLimited('a=x&b=yz')).toBe(false)
    expect(await isLimited('a=xy&b=z')).toBe(false)
    expect(await isLimited('a=x;1:&b=z')).toBe(false)
    expect(await isLimited('a=x&b=yz')).toBe(true)
  })

  it('limits a request whose key fails like any other', async () => {
    const policy = compile(limit({ capacity: 1, bucket_key: ["req.headers['nope'][0]"] }))
    expect((await runRequest(policy)).outcome).toBeUndefined()
    expect((await runRequest(policy)).outcome).toMatchObject({ status: 429 })
  })

  it('keeps its counts when the policy is compiled again unchanged', async () => {
    const host = new RecordingHost()
    await runRequest(compile(limit({ capacity: 1 }), host))
    expect((await runRequest(compile(limit({ capacity: 1 }), host))).outcome).toMatchObject({ status: 429 })
    expect((await runRequest(compile(limit({ capacity: 1, rate: '70s' }), host))).outcome).toBeUndefined()
  })

  it('only reports when it does not enforce', async () => {
    const rules = [
      { actions: [{ type: 'rate-limit', config: { ...base, capacity: 1, enforce: false } }] },
      { expressions: ['actions.service.rate_limit.limited'], actions: [{ type: 'deny' }] },
    ]
    const policy = compile({ inbound: rules })
    expect((await runRequest(policy)).outcome).toBeUndefined()
    expect((await runRequest(policy)).outcome).toMatchObject({ status: 403 })
  })

  it.each([
    [{ rate: '61s' }, 'rate', 'out_of_range'],
    [{ rate: '50s' }, 'rate', 'out_of_range'],
    [{ rate: '25h' }, 'rate', 'out_of_range'],
    [{ rate: '1 minute' }, 'rate', 'invalid_duration'],
    [{ rate: 60 }, 'rate', 'wrong_type'],
    [{ capacity: 0 }, 'capacity', 'out_of_range'],
    [{ capacity: 1.5 }, 'capacity', 'wrong_type'],
    [{ algorithm: 'token_bucket' }, 'algorithm', 'out_of_range'],
    [{ bucket_key: [] }, 'bucket_key', 'missing_field'],
    [{ bucket_key: ['req.nope'] }, 'bucket_key[0]', 'unknown_variable'],
    [{ bucket_key: ['${conn.client_ip}'] }, 'bucket_key[0]', 'expression_syntax'],
    [{ name: 'x'.repeat(1024) }, 'name', 'too_long'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(limit(fields))).toContainEqual(expect.objectContaining({ path: `${config}.${path}`, code }))
  })
})

describe('SlidingWindow', () => {
  it('never lets more than the capacity through in nine tenths of its length', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 200 })
    const overruns: number[] = []
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (gaps, capacity) => {
        const window = new SlidingWindow(capacity, 10_000)
        const passed: number[] = []
        let now = 5_000
        for (const gap of gaps) {
          now += gap
          if (window.take('k', now) === 0) passed.push(now)
        }
        overruns.push(
          ...passed.filter((start) => passed.filter((at) => at >= start && at < start + 9_000).length > capacity),
        )
      }),
    )
    expect(overruns).toEqual([])
  })

  it('promises room truthfully', () => {
    const window = new SlidingWindow(1, 10_000)
    window.take('k', 12_345)
    const waitMs = window.take('k', 15_000)
    expect(window.take('k', 15_000 + waitMs - 1)).toBeGreaterThan(0)
    expect(window.take('k', 15_000 + waitMs)).toBe(0)
  })

  it('remembers a bounded number of keys and forgets the one unused for longest', () => {
    const window = new SlidingWindow(1, 60_000)
    for (let i = 0; i < 100_000; i++) window.take(`k${i}`, 1)
    window.take('k0', 2)
    window.take('one more', 3)
    expect(window.size).toBe(100_000)
    expect(window.take('k0', 4)).toBeGreaterThan(0)
    expect(window.take('k1', 5)).toBe(0)
  })
})

describe('set-vars', () => {
  it('keeps the type of a lone expression and renders mixed text', async () => {
    const vars = [{ n: '${1 + 1}' }, { text: 'n=${vars.n}' }, { deep: { list: ['${vars.n}', 3] } }]
    const condition = "vars.n == 2 && vars.text == 'n=2' && vars.deep.list == [2, 3]"
    const policy = compile({
      inbound: [
        { actions: [{ type: 'set-vars', config: { vars } }] },
        { expressions: [condition], actions: [{ type: 'deny' }] },
      ],
    })
    expect((await runRequest(policy)).outcome).toMatchObject({ status: 403 })
  })

  it('lasts for one phase', async () => {
    const policy = compile({
      inbound: [{ actions: [{ type: 'set-vars', config: { vars: [{ a: 1 }] } }] }],
      outbound: [
        {
          expressions: ["!('a' in vars)"],
          actions: [{ type: 'add-headers', config: { headers: { 'x-fresh': '1' } } }],
        },
      ],
    })
    const exchange = begin(policy)
    await policy.onRequest(exchange)
    await policy.onResponse(exchange, { statusCode: 200, rawHeaders: [] })
    expect(exchange.response?.headers.raw).toEqual(['x-fresh', '1'])
  })

  it('gives names of the prototype no meaning', async () => {
    const vars = JSON.parse('[{"__proto__": {"polluted": true}}, {"constructor": 1}]') as unknown
    const policy = compile({
      inbound: [
        { actions: [{ type: 'set-vars', config: { vars } }] },
        {
          expressions: ["vars.__proto__.polluted && vars.constructor == 1 && !('toString' in vars)"],
          actions: [{ type: 'deny' }],
        },
      ],
    })
    expect((await runRequest(policy)).outcome).toMatchObject({ status: 403 })
    expect('polluted' in {}).toBe(false)
  })

  it.each([
    [[], 'vars', 'missing_field'],
    [[{ a: 1, b: 2 }], 'vars[0]', 'too_many'],
    [[{}], 'vars[0]', 'missing_field'],
    [[{ 'a-b': 1 }], 'vars[0]["a-b"]', 'out_of_range'],
    [[{ a: [[[[[[[[[[1]]]]]]]]]] }], `vars[0].a${'[0]'.repeat(9)}`, 'too_complex'],
    [Array.from({ length: 65 }, () => ({ a: 1 })), 'vars', 'too_many'],
    [[{ a: '${req.nope}' }], 'vars[0].a', 'unknown_variable'],
  ])('refuses %j', (vars, path, code) => {
    expect(problemsOf(oneAction('set-vars', { vars }))).toContainEqual(
      expect.objectContaining({ path: `${config}.${path}`, code }),
    )
  })
})

describe('log', () => {
  it('reports its fields, without those that fail, and cuts long ones', async () => {
    const host = new RecordingHost()
    await runRequest(
      compile(
        oneAction('log', { metadata: { a: '${req.method}', n: 5, gone: '${vars.x}', long: 'x'.repeat(5000) } }),
        host,
      ),
    )
    expect(host.logs).toEqual([{ a: 'GET', n: 5, long: 'x'.repeat(4096) }])
  })

  it.each([
    [{}, 'metadata', 'missing_field'],
    [{ metadata: Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`k${i}`, 1])) }, 'metadata', 'too_many'],
    [{ metadata: { a: '${' } }, 'metadata.a', 'unterminated_template'],
  ])('refuses %j', (fields, path, code) => {
    expect(problemsOf(oneAction('log', fields))).toContainEqual(
      expect.objectContaining({ path: `${config}.${path}`, code }),
    )
  })
})

describe('compress-response', () => {
  const policy = compile(oneAction('compress-response', undefined, 'outbound'))
  const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': '5000', ETag: '"x"' }
  const coding = async (
    acceptEncoding: string | undefined,
    response: { status?: number; headers?: Record<string, string> } = {},
    method = 'GET',
  ) => {
    const headers: Record<string, string> = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding }
    const { exchange } = await runResponse(policy, { headers: page, ...response }, { method, headers })
    return exchange.response?.contentCoding
  }

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['gzip;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0', undefined],
    ['X-GZIP', 'gzip'],
    ['gzip;q=nonsense', undefined],
    ['compress', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('for accept-encoding %j uses %s', async (accept, expected) => expect(await coding(accept)).toBe(expected))

  it.each([
    ['a HEAD request', {}, 'HEAD'],
    ['204', { status: 204 }],
    ['206', { status: 206 }],
    ['304', { status: 304 }],
    ['an image', { headers: { 'content-type': 'image/png' } }],
    ['events', { headers: { 'content-type': 'text/event-stream' } }],
    ['no type', { headers: {} }],
    ['a small body', { headers: { 'content-type': 'text/plain', 'content-length': '1023' } }],
    ['an encoded body', { headers: { ...page, 'content-encoding': 'gzip' } }],
    ['no-transform', { headers: { ...page, 'cache-control': 'public, no-transform' } }],
  ])('leaves %s alone', async (...[_what, response, method]: [string, object, string?]) =>
    expect(await coding('gzip', response, method)).toBeUndefined(),
  )

  it('says so in the headers', async () => {
    const { responseHeaders } = await runResponse(policy, { headers: page }, { headers: { 'accept-encoding': 'gzip' } })
    expect(responseHeaders).toEqual([
      'Content-Type: text/html; charset=utf-8',
      'vary: accept-encoding',
      'content-encoding: gzip',
      'etag: W/"x"',
    ])
  })

  it('adds vary even when this visitor gets the plain form', async () => {
    expect((await runResponse(policy, { headers: page })).responseHeaders).toContain('vary: accept-encoding')
    expect(
      (await runResponse(policy, { headers: { ...page, Vary: 'Accept-Encoding' } })).responseHeaders,
    ).not.toContain('vary: accept-encoding')
  })

  it.each([
    [['zip'], '.algorithms[0]', 'out_of_range'],
    [['gzip', 'gzip'], '.algorithms', 'conflicting_fields'],
    [[], '.algorithms', 'missing_field'],
  ])('refuses %j', (algorithms, path, code) => {
    const at = `$.outbound[0].actions[0].config${path}`
    expect(problemsOf(oneAction('compress-response', { algorithms }, 'outbound'))).toContainEqual(
      expect.objectContaining({ path: at, code }),
    )
  })
})
