import { tcpEdgeModel, type tcpEdgeModuleNames } from '@tunnel/models'
import { type ResourceDefinition, defineResource } from '../kernel/definition.ts'
import type { EdgeBodies, EdgeBody } from './edge-body.ts'
import { sealedModules } from './sealed-modules.ts'

export function tcpEdges(
  bodies: EdgeBodies<(typeof tcpEdgeModuleNames)[number]>,
): ResourceDefinition<typeof tcpEdgeModel, EdgeBody> {
  return defineResource<typeof tcpEdgeModel, EdgeBody>({
    model: tcpEdgeModel,
    create: async (input, { caller }) => ({ body: await bodies.create(input, caller.accountId) }),
    update: (body, changes, { caller }) => bodies.update(body, changes, caller.accountId),
    sealed: sealedModules(),
    references: (body) => bodies.references(body),
    uniqueKeys: (body) => bodies.uniqueKeys(body),
    reply: ({ body }, call) => bodies.reply(body, call),
  })
}
