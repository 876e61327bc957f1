import { isUtf8 } from 'node:buffer'
import { ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** JSON in UTF-8 and nothing else. Some clients send the content type without a body: that is no body. */
export function acceptJsonBodies(app: FastifyInstance): void {
  const parseText = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const refusal = encodingRefusal(request, body)
    if (refusal === null) void parseText(request, body.toString(), done)
    else done(refusal)
  })
  app.addHook('onRequest', checkBodyHeaders)
}

function checkBodyHeaders({ method, raw: { headers } }: FastifyRequest): Promise<void> {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody) delete headers['content-type']
  else if (method === 'GET' || method === 'DELETE') throw new ServiceError('body_unexpected', { method })
  return Promise.resolve()
}

function encodingRefusal({ headers }: FastifyRequest, body: Buffer): ServiceError | null {
  const { 'content-encoding': encoding = 'identity', 'content-type': contentType = '' } = headers
  if (encoding !== 'identity')
    return new ServiceError('content_encoding_unsupported', { encoding: encoding.slice(0, 40) })
  const charset = /;\s*charset="?([^";\s]*)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  if (charset !== 'utf-8' && charset !== 'utf8')
    return new ServiceError('content_type_unsupported', { contentType: contentType.slice(0, 80) })
  // Decoded all the same, bytes that are not UTF-8 would be stored as something else than was sent.
  return isUtf8(body) ? null : new ServiceError('body_unparsable')
}
