import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { actionDefinitions } from '../src/actions/registry.ts'
import { variables } from '../src/expressions/variables.ts'
import { environment } from '../src/expressions/environment.ts'
import { compilePolicy } from '../src/index.ts'
import { begin, RecordingHost, type Sample } from './harness.ts'

const cases = process.env['TEST_LONG'] ? 100_000 : 2_000
const slowestMs = 50
const seed = 20_260_102

const words = [
  ...variables.keys(),
  ...[...environment.funcs].map(({ name }) => name),
  '(', ')', '[', ']', '{', '}', '.', ',', '?', ':', '!', '-', '+', '*', '/', '%', '<', '==', '!=', '&&', '||', 'in',
  'x', 'x, x == x', '1', '-9223372036854775808', '1.5e308', '0u', 'true', 'null', "'a'", "'(a+)+$'", "b'\\xff'", "r'\\'", "'${'", '"', "'", '`', '//', '\n',
  '__proto__', 'constructor', 'prototype', 'toString', "'__proto__'", '.exists(x, ', '.map(x, ', '.filter(x, ', '.matches(', 'has(', 'req.headers[', 'req.url.matches(',
] // prettier-ignore

const expression = fc.oneof(
  fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join(' ')),
  fc.array(fc.constantFrom(...words), { maxLength: 14 }).map((parts) => parts.join('')),
  fc.string({ maxLength: 60 }),
)
const text = fc.oneof(
  expression,
  expression.map((inner) => `\${${inner}}`),
  fc.constantFrom('', 'a:12345678', '60s', '10.0.0.0/8', 'https://b.example.com', '(a+)+$', '\r\n', '☃'),
)
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('__proto__', 'headers', 'value', 'body', 'constructor'), fc.string({ maxLength: 8 })),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
})).value

/** Configurations near the schema of an action: its own fields, with fitting and unfitting values. */
const action = fc.constantFrom(...actionDefinitions).chain(({ type, config, examples }) => {
  const fields = Object.keys((config as { properties?: object }).properties ?? {})
  const good = examples[0]?.config ?? {}
  const field = fc.tuple(
    fc.constantFrom(...fields, 'extra'),
    fc.oneof(
      value,
      fc.dictionary(fc.constantFrom('a', 'x-b', 'host', '__proto__'), text, { maxKeys: 3 }),
      fc.array(text, { maxLength: 3 }),
    ),
  )
  return fc.oneof(
    fc.constant({ type, config: good }),
    field.map(([name, changed]) => ({ type, config: { ...good, [name]: changed } })),
    value.map((any) => ({ type, config: any })),
  )
})
const rule = fc.record({
  expressions: fc.array(expression, { maxLength: 2 }),
  actions: fc.array(action, { maxLength: 3 }),
})
const document = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ inbound: fc.array(rule, { maxLength: 2 }), outbound: fc.array(rule, { maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
)

const hostile: Sample[] = [
  {
    url: 'https://a.example/?q=%0d%0ax:y&__proto__=1&a=%ff',
    headers: [
      ['x', 'a'.repeat(20_000)],
      ['__proto__', '1'],
      ['cookie', '__proto__=1; a=b;;=;c'],
      ['authorization', 'Basic Og=='],
    ],
    body: 'x',
  },
  {
    url: 'https://a.example/%2e%2e//',
    method: 'POST',
    headers: [
      ['content-type', 'application/json'],
      ['accept-encoding', 'br;q=x,*'],
    ],
    clientIp: '::ffff:10.0.0.1',
    body: '{"__proto__": 1}',
  },
]

it(
  `no document and no expression makes the engine throw, hang, or touch a prototype (${cases} cases)`,
  { timeout: 3_600_000 },
  async () => {
    const host = new RecordingHost()
    const slow: string[] = []
    let compiled = 0
    /** Processor time of what must not take long; what is compiled for the first time may take longer once. */
    const timed = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
      const once = async (): Promise<readonly [T, number]> => {
        const startedAt = performance.now()
        const result = await work()
        return [result, performance.now() - startedAt]
      }
      let [result, ms] = await once()
      for (let again = 0; again < 3 && ms > slowestMs; again++) [result, ms] = await once()
      if (ms > slowestMs) slow.push(`${ms.toFixed(0)} ms: ${what}`)
      return result
    }
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom('http', 'tcp'), async (given, protocol) => {
        const what = JSON.stringify(given)
        const result = await timed(what, () => compilePolicy(given, { protocol, host }))
        if (!result.ok)
          return result.problems.every(
            ({ path, code, message }) => path.startsWith('$') && code !== undefined && message !== '',
          )
        compiled += 1
        for (const sample of hostile) {
          const exchange = begin(result.policy, sample)
          await timed(what, () => result.policy.onConnect(exchange))
          await timed(what, () => result.policy.onRequest(exchange))
          const rawHeaders = ['content-type', 'text/html', 'set-cookie', '__proto__=1; Path=/', 'etag', '"x"']
          await timed(what, () => result.policy.onResponse(exchange, { statusCode: 200, rawHeaders }))
          const sent = [...(exchange.request?.headers.raw ?? []), ...(exchange.response?.headers.raw ?? [])]
          // oxlint-disable-next-line no-control-regex -- what could split a header is what is looked for
          if (sent.some((part) => /[\r\n\0]/.test(part))) return false
        }
        return true
      }),
      { numRuns: cases, seed, endOnFailure: true },
    )
    expect(slow).toEqual([])
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(compiled).toBeGreaterThan(cases / 50)
  },
)
