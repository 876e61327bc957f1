import type { FastifyInstance } from 'fastify'

/**
 * Takes JSON bodies alone: what an HTML form can send is refused with 415, which keeps simple cross-site posts out.
 * An empty body is no body, because several clients announce JSON on every call.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null)
    else void parseJson(request, body.toString(), done)
  })
}
