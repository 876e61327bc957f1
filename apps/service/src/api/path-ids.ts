import { ServiceError } from '@tunnel/models'
import type { FastifyRequest } from 'fastify'

/** `/ip_policies/` names no item: there is no such path, as there is none for any other that ends in a slash. */
export function refuseEmptyIds({ params }: FastifyRequest): Promise<void> {
  if (Object.values(params as Record<string, string>).includes('')) throw new ServiceError('path_not_found')
  return Promise.resolve()
}
