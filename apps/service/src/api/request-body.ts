import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** JSON and nothing else. Some clients send the content type without a body: that is no body. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', checkBodyHeaders)
}

function checkBodyHeaders({ method, raw: { headers } }: FastifyRequest): Promise<void> {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody) delete headers['content-type']
  else if (method === 'GET' || method === 'DELETE') throw new ServiceError('body_unexpected', { method })
  return Promise.resolve()
}
