import { type Ref, type ResourceModel, idPrefix } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'

type Target = Pick<ResourceModel, 'prefix' | 'path'>

/** The pointer that replies show for an id. Several types are told apart by the prefix of the id. */
export function refTo(call: Call, id: string, ...types: readonly [Target, ...Target[]]): Ref {
  const type = types.find((target) => target.prefix === idPrefix(id)) ?? types[0]
  return { id, uri: `${call.baseUrl}${type.path}/${id}` }
}
