import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { errorExamples, errorSchema, failuresOf } from './described-errors.ts'
import { exampleOf, requestExampleOf } from './described-examples.ts'

type Responses = Readonly<Record<string, TSchema>>

function responsesOf({ response = {} }: FastifySchema): Responses {
  const schemas = Object.entries(response as Responses)
  return Object.fromEntries(schemas.map(([status, schema]) => [status, withExample(schema, exampleOf(schema))]))
}

function bodyOf({ body }: FastifySchema): { readonly body?: TSchema } {
  return body === undefined ? {} : { body: withExample(body as TSchema, requestExampleOf(body as TSchema)) }
}

function withExample(schema: TSchema, example: unknown): TSchema {
  return (schema as { type?: unknown }).type === 'object' ? { ...schema, examples: [example] } : schema
}

/** Serves the description of every route at `/openapi.json`. Routes must be registered after it. */
export async function describeApi(app: FastifyInstance, baseUrl: string | null): Promise<void> {
  app.addSchema(errorSchema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tunnel management API', version: '2' },
      servers: [{ url: baseUrl ?? '/' }],
      components: {
        examples: errorExamples,
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
          version: { type: 'apiKey', in: 'header', name: 'Service-Version', description: 'The API version: 2.' },
        },
      },
      security: [{ apiKey: [], version: [] }],
    },
    transform: ({ schema, url, route }) => {
      const { fieldErrors = {}, refusals = [] } = route.config ?? {}
      const failures = failuresOf({ url, schema, own: [...Object.values(fieldErrors), ...refusals] })
      return { url, schema: { ...schema, ...bodyOf(schema), response: { ...responsesOf(schema), ...failures } } }
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema['$id'] === 'string' ? schema['$id'] : `schema${index}`,
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
}
