import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'

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
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) =>
        typeof schema['$id'] === 'string' ? schema['$id'] : `schema${index}`,
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger())
}
