import { httpsEdgeModel, type httpsEdgeModuleNames, type httpsEdgeRouteModel } from '@tunnel/models'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import type { Resource } from '../kernel/resource.ts'
import type { EdgeBodies, EdgeBody } from './edge-body.ts'
import type { RouteBody } from './https-edge-routes.ts'

/** An HTTPS edge shows its routes in full. */
export function httpsEdges(
  bodies: EdgeBodies<(typeof httpsEdgeModuleNames)[number]>,
  routes: Resource<typeof httpsEdgeRouteModel, RouteBody>,
): ResourceDefinition<typeof httpsEdgeModel, EdgeBody> {
  return defineResource<typeof httpsEdgeModel, EdgeBody>({
    model: httpsEdgeModel,
    create: async (input, { caller }) => ({ body: await bodies.create(input, caller.accountId) }),
    update: (body, changes, { caller }) => bodies.update(body, changes, caller.accountId),
    references: (body) => bodies.references(body),
    uniqueKeys: (body) => bodies.uniqueKeys(body),
    reply: async ({ id, body }, call) => {
      const children = await routes.childrenOf(id)
      const shown = await Promise.all(children.map((route) => routes.reply(route, call)))
      return { ...bodies.reply(body, call), routes: shown }
    },
  })
}
