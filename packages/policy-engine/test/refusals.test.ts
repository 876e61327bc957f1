import { describe, expect, it } from 'vitest'
import { actionDefinitions, unavailableActions } from '../src/actions/registry.ts'
import type { IpPolicy, PolicyHost, PolicyProtocol, ProblemCode } from '../src/index.ts'
import { validatingHost } from '../src/index.ts'
import { actionRows, many } from './action-rows.ts'
import { oneAction, problemsOf } from './harness.ts'

const everybody: IpPolicy = { decide: () => ({ action: 'allow', cidr: '0.0.0.0/0' }) }
const host: PolicyHost = { ...validatingHost, ipPolicy: (id) => (id === 'ipp_1' ? everybody : undefined) }

interface Found {
  readonly path: string
  readonly code: ProblemCode
  /** What stands at the place that the problem reports. */
  readonly at: string
}

/** The problem of a document that came as text at this path, or all of them when none is there. */
function refusal(document: unknown, { path, code, at }: Found, protocol?: PolicyProtocol): Found | readonly unknown[] {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const problems = problemsOf(text, protocol, host)
  const found = problems.find((problem) => problem.path === path && problem.code === code)
  if (found?.line !== 1 || found.offset === undefined || found.column !== found.offset + 1) return problems
  return { path, code, at: text.slice(found.offset, (found.column ?? 0) - 1 + at.length) }
}

function configPath(phase: string, field: string): string {
  const separator = field === '' || field.startsWith('[') ? '' : '.'
  return `$.${phase}[0].actions[0].config${separator}${field}`
}

/** A configuration as the name of a test. */
function named<T>(config: T): readonly [string, T] {
  return [(JSON.stringify(config) ?? 'nothing').slice(0, 80), config]
}

describe.each(Object.entries(actionRows))('%s', (type, { phase = 'inbound', accepts, refuses }) => {
  it.each(accepts.map(named))('takes %s', (_name, config) => {
    expect(problemsOf(oneAction(type, config, phase), 'http', host)).toEqual([])
  })

  it.each(refuses.map((row) => [...named(row[0]), row] as const))(
    'refuses %s, with the place',
    (_name, config, [, field, code, at]) => {
      const expected = { path: configPath(phase, field), code, at }
      expect(refusal(oneAction(type, config, phase), expected)).toEqual(expected)
    },
  )
})

it('every action has its row', () => {
  expect(Object.keys(actionRows).sort()).toEqual(actionDefinitions.map(({ type }) => type).sort())
})

describe('an action of another phase or server', () => {
  const places = { request: 'inbound', response: 'outbound', connect: 'on_tcp_connect' } as const
  const elsewhere = actionDefinitions.flatMap(({ type, phases, examples }) =>
    (['request', 'response', 'connect'] as const)
      .filter((phase) => !phases.includes(phase))
      .map((phase) => [type, places[phase], examples[0]?.config] as const),
  )

  it.each(elsewhere)('%s does not run in %s', (type, key, config) => {
    const expected = { path: `$.${key}[0].actions[0].type`, code: 'wrong_phase', at: '"type"' } as const
    expect(refusal(oneAction(type, config, key), expected)).toEqual(expected)
  })

  it.each([...unavailableActions])('%s is known, and not available', (type) => {
    const expected = { path: '$.inbound[0].actions[0].type', code: 'action_unavailable', at: '"type"' } as const
    expect(refusal(oneAction(type, {}), expected)).toEqual(expected)
  })
})

const deny = { type: 'deny' }
const strip = { type: 'remove-headers', config: { headers: ['a'] } }
const rule = (fields: object) => ({ inbound: [{ actions: [deny], ...fields }] })
const conditions = (...expressions: string[]) => rule({ expressions })
const body = (text: string) => oneAction('custom-response', { body: text })
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
/** A document of exactly so many bytes. */
const sized = (bytes: number) => {
  const empty = JSON.stringify(body(''))
  return JSON.stringify(body('x'.repeat(bytes - empty.length)))
}
const expression = '$.inbound[0].expressions[0]'

describe('a document', () => {
  it.each<readonly [string, unknown]>([
    ['50 rules', { inbound: many(50, () => ({ actions: [deny] })) }],
    ['16 expressions', conditions(...many(16, () => 'true'))],
    ['16 actions', rule({ actions: many(16, () => strip) })],
    ['a name of 255 bytes', rule({ name: 'ü'.repeat(127) })],
    ['32 levels', oneAction('log', { metadata: { a: nested(25) } })],
    ['240 KiB', sized(240 * 1024)],
    ['an expression of 4096 characters', conditions(`req.method == '${'x'.repeat(4096 - 16)}'`)],
    ['64 brackets', conditions(`${'('.repeat(64)}true${')'.repeat(64)}`)],
    ['two loops, one in the other', conditions('[1].all(a, [1].all(b, a == b))')],
    ['a pattern of 1024 characters', conditions(`req.method.matches('${'x'.repeat(1024)}')`)],
    ['64 expressions in a text', body('${1}'.repeat(64))],
  ])('may hold %s', (_what, document) => expect(problemsOf(document)).toEqual([]))

  it.each<readonly [string, unknown, string, ProblemCode, string]>([
    ['51 rules', { inbound: many(51, () => ({ actions: [deny] })) }, '$.inbound', 'too_many', '"inbound"'],
    ['51 answers', { outbound: many(51, () => ({ actions: [strip] })) }, '$.outbound', 'too_many', '"outbound"'],
    ['17 expressions', conditions(...many(17, () => 'true')), '$.inbound[0].expressions', 'too_many', '"expressions"'],
    ['17 actions', rule({ actions: many(17, () => strip) }), '$.inbound[0].actions', 'too_many', '"actions"'],
    ['a name of 256 bytes', rule({ name: 'ü'.repeat(128) }), '$.inbound[0].name', 'too_long', '"name"'],
    ['an expression of 4097 characters', conditions('x'.repeat(4097)), expression, 'too_long', 'x'],
    ['65 brackets', conditions(`${'('.repeat(65)}true${')'.repeat(65)}`), expression, 'too_complex', '(true'],
    ['501 parts', conditions(`${'1+'.repeat(400)}1 > 0`), expression, 'too_complex', '1+1+'],
    ['three loops', conditions('[1].all(a, [1].all(b, [1].all(c, true)))'), expression, 'too_complex', '.all(c'],
    ['a long loop', conditions('req.headers.all(a, req.headers.all(b, a == b))'), expression, 'too_complex', '.all(b'],
    ['a long pattern', conditions(`req.method.matches('${'x'.repeat(1025)}')`), expression, 'invalid_regex', "'xxx"],
    ['a look-ahead', conditions("req.method.matches('(?=x)')"), expression, 'invalid_regex', "'(?=x)'"],
    ['65 expressions in a text', body('${1}'.repeat(65)), configPath('inbound', 'body'), 'too_many', '"body"'],
    ['a rule without actions', rule({ actions: [] }), '$.inbound[0].actions', 'missing_field', '"actions"'],
    ['no list of actions', { inbound: [{ name: 'x' }] }, '$.inbound[0].actions', 'missing_field', '{"name"'],
    [
      'what never runs',
      rule({ actions: [deny, strip] }),
      '$.inbound[0].actions[1]',
      'unreachable_action',
      '{"type":"re',
    ],
    [
      'an unknown action',
      rule({ actions: [{ type: 'Deny' }] }),
      '$.inbound[0].actions[0].type',
      'unknown_action',
      '"type"',
    ],
    ['an unknown key', { inbound: [], rules: [] }, '$.rules', 'unknown_key', '"rules"'],
    ['an unknown field', rule({ when: 1 }), '$.inbound[0].when', 'unknown_field', '"when"'],
    [
      'both spellings',
      { inbound: [], on_http_request: [] },
      '$.on_http_request',
      'conflicting_fields',
      '"on_http_request"',
    ],
    [
      'both spellings of responses',
      { on_http_response: [], outbound: [] },
      '$.on_http_response',
      'conflicting_fields',
      '"on_',
    ],
    ['a phase that is no list', { inbound: {} }, '$.inbound', 'wrong_type', '"inbound"'],
    ['a switch that is none', { enabled: 1 }, '$.enabled', 'wrong_type', '"enabled"'],
    ['a key twice', '{"inbound":[],"inbound":[]}', '$.inbound', 'bad_document', '"inbound":[]}'],
    [
      'an unknown variable',
      conditions('true', "req.metod == 'GET'"),
      '$.inbound[0].expressions[1]',
      'unknown_variable',
      '.metod',
    ],
    ['a variable of responses', conditions('res.status_code == 200'), expression, 'wrong_phase', '.status_code'],
    [
      'a variable that nobody fills',
      conditions("conn.geo.country == 'x'"),
      expression,
      'variable_unavailable',
      '.country',
    ],
    ['an unknown function', conditions('nope(1)'), expression, 'unknown_function', 'nope(1)'],
    ['a wrong type', conditions("req.content_length == '5'"), expression, 'no_overload', "== '5'"],
    ['what is no condition', conditions('req.method'), expression, 'not_boolean', 'req.method'],
    ['no expression', conditions("req.method == 'it's'"), expression, 'expression_syntax', "s'"],
  ])('may not hold %s', (_what, document, path, code, at) => {
    expect(refusal(document, { path, code, at })).toEqual({ path, code, at })
  })

  it('of a TCP or TLS tunnel has no rules on responses', () => {
    const document = { outbound: [{ actions: [strip] }] }
    const expected = { path: '$.outbound', code: 'wrong_protocol', at: '"outbound"' } as const
    for (const protocol of ['tcp', 'tls'] as const) expect(refusal(document, expected, protocol)).toEqual(expected)
  })

  it.each([
    ['33 levels', oneAction('log', { metadata: { a: nested(26) } }), 'too_complex'],
    ['240 KiB and a byte', sized(240 * 1024 + 1), 'too_long'],
  ])('is refused as a whole with %s', (_what, document, code) =>
    expect(problemsOf(document)).toEqual([expect.objectContaining({ path: '$', code })]),
  )
})
