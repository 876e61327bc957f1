import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { startTestApi } from './api-harness.ts'

interface Media {
  readonly schema: { readonly $ref?: string; readonly examples?: readonly unknown[] }
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, unknown>>
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

const json = 'application/json'
await using api = await startTestApi()
const document = (await api.app.inject({ url: '/openapi.json' })).json<{
  paths: Record<string, Record<string, Described>>
  components: object
}>()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
)

it('is a valid OpenAPI 3.1 document', async () => {
  expect(await new Validator().validate(document)).toEqual({ valid: true })
})

it.each(operations)('%s tells its errors', (_title, { responses }) => {
  const errors = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Number(status) >= 400 ? Object.keys(content[json]?.examples ?? {}) : [],
  )
  expect(errors).toEqual(expect.arrayContaining(['authorization_missing', 'version_missing', 'query_unknown']))
})

it.each(operations)('%s shows examples that its own schemas accept', (_title, { requestBody, responses }) => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const replies = Object.entries(responses).filter(([status]) => Number(status) < 300)
  const all = [requestBody?.content[json], ...replies.map(([, { content }]) => content?.[json])]
  const media = all.filter((one): one is Media => one !== undefined)
  const wrong = media.flatMap(({ schema, example, examples }) => {
    const [shown] = [example, ...(schema.examples ?? []), ...Object.values(examples ?? {})].filter(
      (one) => one !== undefined,
    )
    return ajv.validate({ ...schema, components: document.components }, shown)
      ? []
      : [{ shown, errors: ajv.errorsText() }]
  })
  expect(wrong).toEqual([])
})
