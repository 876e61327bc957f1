import { describe, expect, it } from 'vitest'
import { compile, oneAction, problemsOf, runConnect, runRequest, warningsOf } from './harness.ts'

const rule = (actions: unknown, expressions?: unknown) => ({ inbound: [{ expressions, actions }] })
const deny = [{ type: 'deny' }]
const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])

describe('a policy document', () => {
  it.each([
    ['nothing at all', {}],
    ['null phases', { inbound: null, outbound: null }],
    ['both phases empty', { inbound: [], outbound: [] }],
    ['the later spelling', { on_http_request: [{ actions: deny }], on_http_response: [] }],
    ['connection rules of an http tunnel', { on_tcp_connect: [{ actions: deny }] }],
    ['a number as a name', { inbound: [{ name: 7, actions: deny }] }],
    ['null where a list may be missing', { inbound: [{ name: null, expressions: null, actions: deny }] }],
    ['text', '{"inbound": [{"actions": [{"type": "deny"}]}]}'],
    ['a switch', { enabled: false, inbound: [{ actions: deny }] }],
  ])('may hold %s', (_what, document) => {
    expect(problemsOf(document)).toEqual([])
  })

  it.each([
    ['not an object', [], '$', 'wrong_type'],
    ['null', null, '$', 'wrong_type'],
    ['an unknown key', { inbount: [] }, '$.inbount', 'unknown_key'],
    ['a prototype key', JSON.parse('{"__proto__": []}'), '$.__proto__', 'unknown_key'],
    ['a phase that is no list', { inbound: {} }, '$.inbound', 'wrong_type'],
    ['one phase in both spellings', { inbound: [], on_http_request: [] }, '$.on_http_request', 'conflicting_fields'],
    ['a rule that is no object', { inbound: ['x'] }, '$.inbound[0]', 'wrong_type'],
    ['an unknown field', { inbound: [{ actions: deny, action: [] }] }, '$.inbound[0].action', 'unknown_field'],
    ['a rule without actions', { inbound: [{}] }, '$.inbound[0].actions', 'missing_field'],
    ['a rule with an empty list of actions', rule([]), '$.inbound[0].actions', 'missing_field'],
    ['a long name', { inbound: [{ name: 'x'.repeat(256), actions: deny }] }, '$.inbound[0].name', 'too_long'],
    ['a name of the wrong type', { inbound: [{ name: [], actions: deny }] }, '$.inbound[0].name', 'wrong_type'],
    ['expressions that are no list', rule(deny, 'true'), '$.inbound[0].expressions', 'wrong_type'],
    ['an expression that is no string', rule(deny, [1]), '$.inbound[0].expressions[0]', 'wrong_type'],
    ['too many expressions', rule(deny, Array(17).fill('true')), '$.inbound[0].expressions', 'too_many'],
    [
      'too many actions',
      rule(Array.from({ length: 17 }, () => ({ type: 'remove-headers', config: { headers: ['a'] } }))),
      '$.inbound[0].actions',
      'too_many',
    ],
    ['too many rules', { inbound: Array.from({ length: 51 }, () => ({ actions: deny })) }, '$.inbound', 'too_many'],
    ['an action without a type', rule([{ config: {} }]), '$.inbound[0].actions[0].type', 'missing_field'],
    [
      'an action with an unknown field',
      rule([{ type: 'deny', conf: {} }]),
      '$.inbound[0].actions[0].conf',
      'unknown_field',
    ],
    ['an action that nobody knows', rule([{ type: 'Deny' }]), '$.inbound[0].actions[0].type', 'unknown_action'],
    [
      'an action that this server lacks',
      rule([{ type: 'oauth' }]),
      '$.inbound[0].actions[0].type',
      'action_unavailable',
    ],
    ['an action of another phase', oneAction('deny', {}, 'outbound'), '$.outbound[0].actions[0].type', 'wrong_phase'],
    [
      'an unknown configuration field',
      oneAction('deny', { status: 1 }),
      '$.inbound[0].actions[0].config.status',
      'unknown_field',
    ],
    ['a configuration that is no object', oneAction('deny', 'x'), '$.inbound[0].actions[0].config', 'wrong_type'],
    ['an action that never runs', rule([...deny, ...deny]), '$.inbound[0].actions[1]', 'unreachable_action'],
    ['a switch of the wrong type', { enabled: 'no' }, '$.enabled', 'wrong_type'],
    ['deep nesting', { inbound: nested(40) }, '$', 'too_complex'],
    ['too many bytes', { inbound: [{ name: 'x'.repeat(250_000), actions: deny }] }, '$', 'too_long'],
  ])('may not be or hold %s', (_what, document, path, code) => {
    expect(problemsOf(document)).toContainEqual(expect.objectContaining({ path, code }))
  })

  it('reports every problem at once', () => {
    const document = {
      inbound: [
        {
          name: [],
          expressions: ['req.metod == 1', 'req.method'],
          actions: [{ type: 'nope' }, { type: 'deny', config: { status_code: 1 } }],
        },
      ],
    }
    expect(problemsOf(document).map(({ path, code }) => `${path} ${code}`)).toEqual([
      '$.inbound[0].name wrong_type',
      '$.inbound[0].expressions[0] unknown_variable',
      '$.inbound[0].expressions[1] not_boolean',
      '$.inbound[0].actions[0].type unknown_action',
      '$.inbound[0].actions[1].config.status_code out_of_range',
    ])
  })

  it('reports at most twenty problems', () => {
    expect(problemsOf({ inbound: Array.from({ length: 50 }, () => ({ actions: [{ type: 'nope' }] })) })).toHaveLength(
      20,
    )
  })
})

describe('a policy as text', () => {
  it.each([
    ['{"inbound": [}', 13],
    ['{"inbound": [] // all\n}', 15],
    ['{"inbound": [],}', 15],
    ['', 0],
  ])('says where %j is not JSON', (text, offset) => {
    expect(problemsOf(text)[0]).toMatchObject({ path: '$', code: 'bad_document', offset })
  })

  it('refuses a key that occurs twice', () => {
    expect(problemsOf('{\n  "inbound": [],\n  "inbound": []\n}')).toEqual([
      expect.objectContaining({
        path: '$.inbound',
        code: 'bad_document',
        line: 3,
        column: 3,
        offset: 21,
      }),
    ])
  })

  it('counts places in the text, behind escapes and line ends', () => {
    const expression = String.raw`req.url == '\u0041\"' &&\n req.nope == 1`
    const text = `{\n  "inbound": [\n    {"expressions": ["${expression}"], "actions": []}]}`
    expect(problemsOf(text)).toEqual([
      expect.objectContaining({ code: 'missing_field', line: 3, offset: text.indexOf('"actions"') }),
      expect.objectContaining({ code: 'unknown_variable', line: 3, offset: text.indexOf('.nope') }),
    ])
  })

  it('refuses deep nesting before it parses', () => {
    expect(problemsOf('['.repeat(100_000))[0]).toMatchObject({ code: 'too_complex' })
  })
})

describe('a policy of a TCP or TLS tunnel', () => {
  it('takes inbound for the rules of the connection', async () => {
    const policy = compile(
      oneAction('deny', undefined, 'inbound', ["inCidrRange(conn.client_ip, '10.0.0.0/8')"]),
      undefined,
      'tcp',
    )
    expect(await runConnect(policy, '10.1.2.3')).toEqual({ kind: 'close' })
    expect(await runConnect(policy, '203.0.113.7')).toBeUndefined()
  })

  it.each([
    ['rules on responses', { outbound: [{ actions: deny }] }, '$.outbound', 'wrong_protocol'],
    ['rules on requests', { on_http_request: [{ actions: deny }] }, '$.on_http_request', 'wrong_protocol'],
    [
      'variables of requests',
      oneAction('deny', undefined, 'inbound', ["req.method == 'GET'"]),
      '$.inbound[0].expressions[0]',
      'wrong_phase',
    ],
    [
      'actions of requests',
      oneAction('add-headers', { headers: { a: 'b' } }),
      '$.inbound[0].actions[0].type',
      'wrong_phase',
    ],
    [
      'a status for a closed connection',
      oneAction('deny', { status_code: 404 }),
      '$.inbound[0].actions[0].config.status_code',
      'wrong_phase',
    ],
  ])('refuses %s', (_what, document, path, code) => {
    expect(problemsOf(document, 'tcp')).toContainEqual(expect.objectContaining({ path, code }))
  })
})

describe('warnings', () => {
  it('point at a denying rule that fails when the visitor leaves a header out', () => {
    const unguarded = oneAction('deny', undefined, 'inbound', ["req.headers['X-Role'][0] != 'admin'"])
    expect(warningsOf(unguarded)).toEqual([
      expect.objectContaining({ path: '$.inbound[0].expressions[0]', code: 'unguarded_index' }),
    ])
    const guarded = oneAction('deny', undefined, 'inbound', [
      "!('x-role' in req.headers) || req.headers['X-Role'][0] != 'admin'",
    ])
    expect(warningsOf(guarded)).toEqual([])
  })

  it('name the present form of an old variable, and the rule still works', async () => {
    const document = oneAction('deny', undefined, 'inbound', ["req.Method == 'PUT'"])
    expect(warningsOf(document)).toEqual([
      expect.objectContaining({ code: 'legacy_name', message: "'req.Method' is now 'req.method'" }),
    ])
    expect((await runRequest(compile(document), { method: 'PUT' })).outcome).toMatchObject({ status: 403 })
  })
})

describe('a switched-off policy', () => {
  it('does nothing', async () => {
    const policy = compile({ enabled: false, inbound: [{ actions: deny }] })
    expect((await runRequest(policy)).outcome).toBeUndefined()
  })
})
