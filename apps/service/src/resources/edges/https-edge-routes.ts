import { ServiceError, type HttpsEdgeRoute, httpsEdgeRouteModel, type routeModuleNames } from '@tunnel/models'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import type { ModuleBodies, Modules } from './modules.ts'
import { sealedModules } from './sealed-modules.ts'

/** A route as it is stored. */
export interface RouteBody extends Pick<
  HttpsEdgeRoute,
  'description' | 'metadata' | 'edge_id' | 'match_type' | 'match'
> {
  readonly modules: ModuleBodies
}

export function httpsEdgeRoutes(
  modules: Modules<(typeof routeModuleNames)[number]>,
): ResourceDefinition<typeof httpsEdgeRouteModel, RouteBody> {
  return defineResource<typeof httpsEdgeRouteModel, RouteBody>({
    model: httpsEdgeRouteModel,
    create: (input, { parentId = '' }) => {
      const { description, metadata, match_type, match } = input
      const body = { description, metadata, edge_id: parentId, match_type, match: checkedPath(match) }
      return { body: { ...body, modules: modules.read(input) } }
    },
    update: (body, changes) => ({
      ...body,
      description: changes.description ?? body.description,
      metadata: changes.metadata ?? body.metadata,
      match_type: changes.match_type ?? body.match_type,
      match: checkedPath(changes.match ?? body.match),
      modules: { ...body.modules, ...modules.read(changes) },
    }),
    sealed: sealedModules(),
    references: (body) => modules.references(body.modules),
    uniqueKeys: ({ edge_id, match_type, match }) => [
      { name: 'route_match', value: `${edge_id} ${match_type} ${match}`, shown: match, taken: 'route_match_taken' },
    ],
    reply: ({ body: { modules: stored, ...shown } }, call) => ({ ...shown, ...modules.reply(stored, call) }),
  })
}

/** An absolute path without query and fragment (RFC 3986, section 3.3). */
function checkedPath(match: string): string {
  if (!/^\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*$/.test(match))
    throw new ServiceError('route_match_not_path', { match: match.slice(0, 80) })
  return match
}
