import { ServiceError } from '@tunnel/models'
import type { FastifyRequest } from 'fastify'

/** Refuses query strings that the route does not understand. A route supports what its query schema declares. */
export function checkQueryString(request: FastifyRequest): Promise<void> {
  const start = request.url.indexOf('?')
  if (start < 0) return Promise.resolve()
  // No store can hold NUL in a text, so nothing could be found by it.
  if (/%(?![0-9a-f]{2})|%00/i.test(request.url.slice(start))) throw new ServiceError('query_unparsable')
  const schema = request.routeOptions.schema?.querystring as { properties?: object } | undefined
  const supported = Object.keys(schema?.properties ?? {})
  const given = Object.entries(request.query as Record<string, string | string[]>)
  const unknown = given.map(([name]) => name).filter((name) => !supported.includes(name))
  if (unknown.length > 0)
    throw new ServiceError('query_unknown', {
      unknown: unknown.join(', ').slice(0, 200),
      supported: supported.join(', ') || 'none',
    })
  for (const [name, value] of given)
    if (Array.isArray(value)) throw new ServiceError('query_repeated', { name, count: value.length })
  return Promise.resolve()
}
