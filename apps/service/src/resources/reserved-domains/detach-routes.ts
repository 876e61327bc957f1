import { type ErrorReason, ServiceError, type reservedDomainModel } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import type { CallReader } from '../../api/caller.ts'
import type { Resource } from '../kernel/resource.ts'
import type { ReservedDomainBody } from './reserved-domains.ts'

type Domains = Resource<typeof reservedDomainModel, ReservedDomainBody>
type DomainRequest = { Params: { id: string } }

/** A domain loses its certificate, or its automatic management, by a DELETE of its own: null in a PATCH means "unchanged". */
export function detachRoutes(app: FastifyInstance, domains: Domains, callOf: CallReader): void {
  const options = (summary: string, refusals: readonly ErrorReason[] = []) => ({
    config: { refusals: ['changed_meanwhile', ...refusals] as const },
    schema: { tags: [domains.model.title], summary, response: { 204: { type: 'null' } } },
  })
  const path = `${domains.model.path}/:id`

  app.delete<DomainRequest>(
    `${path}/certificate`,
    options('Detach the certificate', ['domain_certificate_managed']),
    async (request, reply) => {
      await domains.change(request.params.id, callOf(request), ({ certificate_id: _id, ...body }) => {
        if (body.certificate_management_policy !== null)
          throw new ServiceError('domain_certificate_managed', { domain: body.domain })
        return body
      })
      return reply.code(204).send()
    },
  )

  app.delete<DomainRequest>(
    `${path}/certificate_management_policy`,
    options('Stop the automatic management of the certificate'),
    async (request, reply) => {
      const end = (body: ReservedDomainBody) => ({ ...body, certificate_management_policy: null })
      await domains.change(request.params.id, callOf(request), end)
      return reply.code(204).send()
    },
  )
}
