import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type TestApi, startTestApi } from './api-harness.ts'
import { type JsonSchema, type Operation, describedOperations, withUnknownIds } from './operations.ts'

/*
 * Every operation of the published description against every kind of bad input: each is answered with a documented
 * status and code, with strings as details, and stores nothing.
 */

const api: TestApi = await startTestApi('sqlite')
const client: Client = await api.newClient()
const operations = (await describedOperations(api.app)).filter(({ path }) => !path.startsWith('/events'))
const withBody = operations.filter(({ body }) => body !== undefined)
const lists = operations.filter(({ isList }) => isList)
let rowsBefore: number

beforeAll(async () => {
  rowsBefore = await storedRows()
})
afterAll(() => api[Symbol.asyncDispose]())

async function storedRows(): Promise<number> {
  return (await api.storage.db.selectFrom('resources').select('id').execute()).length
}

interface Case {
  readonly query?: string
  readonly body?: unknown
  readonly headers?: Record<string, string | undefined>
}

async function refusal({ method, path }: Operation, { query = '', body, headers = {} }: Case) {
  const { body: reply } = await client.send(method, withUnknownIds(path) + query, body, headers)
  const { details, error_code, status_code } = reply
  expect(Object.values(details).every((detail) => typeof detail === 'string')).toBe(true)
  expect(reply.msg).not.toBe('')
  return { status: status_code, code: Number(error_code?.replace('ERR_SERVICE_', '')) || null }
}

const title = (operation: Operation) => [`${operation.method} ${operation.path}`, operation] as const

describe.each(operations.map(title))('%s', (_title, operation) => {
  it('knows its caller and its version', async () => {
    const { token } = await client.create('/credentials')
    const cases: [Case['headers'], number, number][] = [
      [{ authorization: undefined }, 403, 200],
      [{ authorization: 'Bearer' }, 403, 201],
      [{ authorization: 'Bearer malformed' }, 403, 202],
      [{ authorization: `Bearer ${'0'.repeat(27)}_${'a'.repeat(21)}` }, 403, 203],
      [{ authorization: `Bearer ${token}` }, 400, 206],
      [{ 'service-version': undefined }, 400, 218],
      [{ 'service-version': '1' }, 400, 217],
    ]
    for (const [headers = {}, status, code] of cases)
      expect(await refusal(operation, { headers })).toEqual({ status, code })
    rowsBefore += 1
  })

  it('refuses unknown query parameters and other methods', async () => {
    expect(await refusal(operation, { query: '?unknown=1' })).toEqual({ status: 400, code: 231 })
    expect(await refusal({ ...operation, method: 'TRACE' }, {})).toEqual({ status: 404, code: null })
  })
})

it.each(lists.map(title))('%s refuses bad paging', async (_title, operation) => {
  const cases: [string, number][] = [
    ['?limit=1&limit=2', 232],
    ['?before_id=a&before_id=b', 232],
    ['?limit=0', 233],
    ['?limit=-1', 233],
    ['?limit=101', 233],
    ['?limit=ten', 244],
    ['?limit=1.0', 244],
    ['?limit=%E0%A4%A', 230],
  ]
  for (const [query, code] of cases) expect(await refusal(operation, { query })).toEqual({ status: 400, code })
})

describe.each(withBody.map(title))('the body of %s', (_title, operation) => {
  const schema = operation.body ?? {}
  const fields = Object.entries(schema.properties ?? {})

  it('is a JSON object of supported fields', async () => {
    const json = { 'content-type': 'application/json' }
    expect(await refusal(operation, { body: '{}', headers: { 'content-type': 'text/plain' } })).toEqual({
      status: 415,
      code: 210,
    })
    expect(await refusal(operation, { body: '{"a":', headers: json })).toEqual({ status: 400, code: 213 })
    for (const body of ['[]', '"text"', '1', 'true'])
      expect(await refusal(operation, { body, headers: json })).toEqual({ status: 400, code: 215 })
    const isOpen = schema.additionalProperties === true
    expect(await refusal(operation, { body: { ...filler(schema), unknown_field: 1 } })).toMatchObject(
      isOpen ? {} : { status: 400, code: 214 },
    )
  })

  it.each(fields)('refuses a wrong type in %s', async (name, field) => {
    for (const value of wrongTypes(field)) {
      const { status, code } = await refusal(operation, { body: { ...filler(schema), [name]: value } })
      expect({ value, status, hasCode: code !== null }).toEqual({ value, status: 400, hasCode: true })
    }
  })

  it.each(fields.filter(([, field]) => field['x-maxBytes'] !== undefined))(
    'limits %s in bytes',
    async (name, field) => {
      const max = field['x-maxBytes'] ?? 0
      for (const value of [
        'a'.repeat(max + 1),
        'ü'.repeat(Math.ceil((max + 1) / 2)),
        '🙂'.repeat(Math.ceil((max + 1) / 4)),
      ]) {
        const { status, code } = await refusal(operation, { body: { ...filler(schema), [name]: value } })
        expect({ status, hasCode: code !== null }).toEqual({ status: 400, hasCode: true })
      }
    },
  )
})

it('has stored nothing', async () => {
  expect(await storedRows()).toBe(rowsBefore)
})

/** Values that no field of this schema takes, and that no rule reads as "not given". */
function wrongTypes({ type, enum: values, anyOf }: JsonSchema): unknown[] {
  if (anyOf !== undefined) return [1, 'text', true]
  if (values !== undefined) return [1, 'none of these', true, ['x'], { a: 1 }]
  const all: Record<string, unknown> = { string: 'text', integer: 1.5, boolean: true, array: ['x'], object: { a: 1 } }
  const own = type === 'number' ? 'integer' : (type ?? 'string')
  const others = Object.entries(all).filter(([name]) => name !== own)
  return [...others.map(([, value]) => value), ...(type === 'integer' ? [1.5] : [])]
}

/** The required fields with values of the right type, so that the field in question is what is wrong. */
function filler({ required = [], properties = {} }: JsonSchema): Record<string, unknown> {
  const sample = ({ type, enum: values }: JsonSchema): unknown => values?.[0] ?? (type === 'array' ? ['x'] : 'x')
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {})]))
}
