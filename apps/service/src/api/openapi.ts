import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'

const failure = {
  description: 'Every failure. The codes are explained at /docs/errors.',
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['status_code', 'msg', 'details'],
        properties: {
          error_code: { type: 'string', pattern: '^ERR_[A-Z]+_[0-9]+$' },
          status_code: { type: 'integer' },
          msg: { type: 'string' },
          details: { type: 'object', additionalProperties: { type: 'string' } },
        },
        examples: [
          {
            error_code: 'ERR_SERVICE_215',
            status_code: 400,
            msg: 'The field labels must be of type object.',
            details: { operation_id: 'op_3MPRDhe8FfFcmB2hHLBRl5YPgzS' },
          },
        ],
      },
    },
  },
}

function responsesOf(schema: FastifySchema): object {
  return typeof schema.response === 'object' && schema.response !== null ? schema.response : {}
}

/** Serves the description of every route at `/openapi.json`. Routes must be registered after it. */
export async function describeApi(app: FastifyInstance, baseUrl: string | null): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Tunnel management API', version: '2' },
      servers: [{ url: baseUrl ?? '/' }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
          version: { type: 'apiKey', in: 'header', name: 'Service-Version', description: 'The API version: 2.' },
        },
      },
      security: [{ apiKey: [], version: [] }],
    },
    // Every route can fail in the same form.
    transform: ({ schema, url }) => ({
      url,
      schema: { ...schema, response: { ...responsesOf(schema), default: failure } },
    }),
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema['$id'] === 'string' ? schema['$id'] : `schema${index}`,
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
}
