import { type ResourceModel, ServiceError, idPrefix } from '@tunnel/models'
import { backendModels } from './backend-models.ts'

/** Throws for a backend of a type that may not stand inside another; so nesting ends, and no circle can arise. */
export function refuseNesting(
  ids: readonly string[],
  allowed: readonly Pick<ResourceModel, 'prefix'>[],
  reason: 'backend_nested_in_weighted' | 'backend_nested_in_failover',
): void {
  const isOfType = (id: string, models: readonly Pick<ResourceModel, 'prefix'>[]) =>
    models.some((model) => model.prefix === idPrefix(id))
  const nested = ids.find((id) => isOfType(id, backendModels) && !isOfType(id, allowed))
  if (nested !== undefined) throw new ServiceError(reason, { field: 'backends', id: nested })
}
