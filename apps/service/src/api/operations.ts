import type { FastifyInstance } from 'fastify'

/** What the process tells to those who run it. */
export interface Operations {
  /** Rejects, or answers false, while the service cannot do its work. */
  isReady(): Promise<boolean>
  /** Prometheus text. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** `/healthz` says that the process runs, `/readyz` that it can serve, `/metrics` what it counts. No key is needed. */
export function operationRoutes(app: FastifyInstance, operations: Operations): void {
  const hidden = { schema: { hide: true } }
  app.get('/healthz', hidden, () => ({ status: 'ok' }))
  app.get('/readyz', hidden, async (_request, reply) => {
    const isReady = await operations.isReady().catch(() => false)
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ready' : 'not ready' })
  })
  app.get('/metrics', hidden, async (_request, reply) => {
    const { contentType, text } = await operations.metrics()
    return reply.header('content-type', contentType).send(text)
  })
}
