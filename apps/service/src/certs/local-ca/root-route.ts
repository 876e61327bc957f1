import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

/** `GET /local-ca.pem`: the root certificate of the local CA, for browsers and agents to trust. It is public. */
export function rootRoute(app: FastifyInstance, rootFile: string): void {
  app.get('/local-ca.pem', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('application/x-pem-file').send(await readFile(rootFile)),
  )
}
