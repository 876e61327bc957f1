import * as fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { type TestApi, startTestApi } from './api-harness.ts'
import { type JsonSchema, type Operation, describedOperations, withUnknownIds } from './operations.ts'

const isLong = process.env['TEST_LONG'] !== undefined
const requests = isLong ? 100_000 : 3_000

const api: TestApi = await startTestApi('sqlite')
const client = await api.newClient()
const operations = (await describedOperations(api.app)).filter(({ body }) => body !== undefined)
afterAll(() => api[Symbol.asyncDispose]())

/** Values near what a schema asks for: of the right type most of the time, at and over limits, and anything at all. */
function near(schema: JsonSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary: ofSchema(schema) }, { weight: 1, arbitrary: fc.jsonValue() })
}

function ofSchema(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(near))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const ofType: Record<string, () => fc.Arbitrary<unknown>> = {
    string: () => text,
    integer: () => fc.integer(),
    number: () => fc.double(),
    boolean: () => fc.boolean(),
    array: () => fc.array(near(schema.items ?? {}), { maxLength: 4 }),
    object: () => objectOf(schema),
  }
  return (ofType[schema.type ?? ''] ?? fc.jsonValue)()
}

function objectOf({ properties, additionalProperties }: JsonSchema): fc.Arbitrary<unknown> {
  if (properties === undefined)
    return fc.dictionary(
      fc.string({ maxLength: 20 }),
      typeof additionalProperties === 'object' ? near(additionalProperties) : fc.jsonValue(),
      { maxKeys: 4 },
    )
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, near(field)]))
  return fc.record(fields, { requiredKeys: [] })
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.domain(),
  fc.ipV4().map((address) => `${address}/24`),
  fc.ipV6().map((address) => `${address}/64`),
  fc.constantFrom(
    '/',
    '*',
    '*.example.com',
    'bind:*',
    '__proto__',
    '::/0',
    '192.0.2.1:80',
    `bkdhr_${'0'.repeat(27)}`,
    `ipp_${'1'.repeat(27)}`,
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  ),
)

const requestTo = fc
  .constantFrom(...operations)
  .chain((operation: Operation) => fc.record({ operation: fc.constant(operation), body: near(operation.body ?? {}) }))

it(
  'no body makes the service fail',
  async () => {
    await fc.assert(
      fc.asyncProperty(requestTo, async ({ operation: { method, path }, body }) => {
        const answer = await client.send(method, withUnknownIds(path), JSON.stringify(body) ?? 'null')
        expect({ failed: answer.status >= 500, reply: answer.body }).toMatchObject({ failed: false })
      }),
      { numRuns: requests },
    )
  },
  isLong ? 1_200_000 : 60_000,
)
