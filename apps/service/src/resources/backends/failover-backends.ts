import { type FailoverBackend, failoverBackendModel, weightedBackendModel } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { backendModels, leafBackendModels } from './backend-models.ts'
import { refuseNesting } from './nesting.ts'

type FailoverBody = Omit<FailoverBackend, 'id' | 'uri' | 'created_at'>

export const failoverBackends = defineResource<typeof failoverBackendModel, FailoverBody>({
  model: failoverBackendModel,
  create: ({ backends = [], ...texts }) => ({ body: { ...texts, backends: checked(backends) } }),
  // Existing servers empty the list when a PATCH leaves it out, and clients therefore always send it.
  update: (body, { backends = [], ...changes }) => ({ ...body, ...changes, backends: checked(backends) }),
  references: ({ backends }) => backends.map((id) => referenceTo('backends', id, backendModels, 'backend_missing')),
  reply: ({ body }) => body,
  inUse: 'backend_in_use',
})

function checked(backends: string[]): string[] {
  refuseNesting(backends, [...leafBackendModels, weightedBackendModel], 'backend_nested_in_failover')
  return backends
}
