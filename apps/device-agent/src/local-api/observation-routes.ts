import type { FastifyInstance } from 'fastify'

/** What the agent tells about itself. */
export interface Observations {
  readonly isSessionOnline: () => boolean
  /** JSON for `/status`. */
  readonly status: () => object
  /** Prometheus text for `/metrics`. */
  readonly metrics: () => Promise<string>
}

export function observationRoutes(app: FastifyInstance, observations: Observations): void {
  app.get('/healthz', () => ({ status: 'ok' }))

  app.get('/readyz', (_request, reply) => {
    const isOnline = observations.isSessionOnline()
    return reply.code(isOnline ? 200 : 503).send({ status: isOnline ? 'online' : 'offline' })
  })

  app.get('/status', () => observations.status())

  app.get('/metrics', async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await observations.metrics()),
  )
}
