import { ServiceError, type WeightedBackend, weightedBackendModel, weightedBackendsMax } from '@tunnel/models'
import { defineResource } from '../kernel/definition.ts'
import { referenceTo } from '../kernel/references.ts'
import { backendModels, leafBackendModels } from './backend-models.ts'
import { refuseNesting } from './nesting.ts'

type WeightedBody = Omit<WeightedBackend, 'id' | 'uri' | 'created_at'>

export const weightedBackends = defineResource<typeof weightedBackendModel, WeightedBody>({
  model: weightedBackendModel,
  create: ({ backends = {}, ...texts }) => ({ body: { ...texts, backends: checked(backends) } }),
  // Existing servers empty the list when a PATCH leaves it out, and clients therefore always send it.
  update: (body, { backends = {}, ...changes }) => ({ ...body, ...changes, backends: checked(backends) }),
  references: ({ backends }) =>
    Object.keys(backends).map((id) => referenceTo('backends', id, backendModels, 'backend_missing')),
  reply: ({ body }) => body,
  inUse: 'backend_in_use',
})

function checked(backends: Record<string, number>): Record<string, number> {
  const ids = Object.keys(backends)
  if (ids.length > weightedBackendsMax)
    throw new ServiceError('weighted_backends_too_many', { max: weightedBackendsMax, count: ids.length })
  refuseNesting(ids, leafBackendModels, 'backend_nested_in_weighted')
  return backends
}
