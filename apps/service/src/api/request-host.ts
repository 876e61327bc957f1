import { ServiceError } from '@tunnel/models'
import type { FastifyRequest } from 'fastify'

/** One host in HTTP/1.1, and at most one before it (RFC 9112, 3.2): nobody in between shall read another one than we do. */
export function refuseUnclearHost({ raw: { rawHeaders, httpVersion } }: FastifyRequest): Promise<void> {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) throw new ServiceError('request_malformed')
  return Promise.resolve()
}
