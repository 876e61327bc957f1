import { ServiceError } from '@tunnel/models'
import type { FastifyRequest } from 'fastify'

/**
 * `/ip_policies/` names no item: there is no such path, as there is none for any other that ends in a slash. What follows
 * of a path behind `*` is no id, and may be nothing.
 */
export function refuseEmptyIds({ params }: FastifyRequest): Promise<void> {
  const ids = Object.entries(params as Record<string, string>).filter(([name]) => name !== '*')
  if (ids.some(([, id]) => id === '')) throw new ServiceError('path_not_found')
  return Promise.resolve()
}
