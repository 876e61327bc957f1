import {
  type EdgeModuleName,
  type ResourceModel,
  ServiceError,
  edgeModules,
  fieldErrorsOfModule,
  refusalsOfModule,
} from '@tunnel/models'
import type { FastifyInstance, RouteShorthandOptions } from 'fastify'
import type { CallReader } from '../../api/caller.ts'
import { callWithin, idOf, pathsOf } from '../kernel/paths.ts'
import type { Resource } from '../kernel/resource.ts'
import { readChangeBody } from '../kernel/tolerance.ts'
import type { ModuleBodies, Modules } from './modules.ts'

interface WithModules {
  readonly modules: ModuleBodies
}

/** Registers PUT, GET and DELETE of every module of one type of owner. A module that is not set is not found. */
export function moduleRoutes<N extends EdgeModuleName, M extends ResourceModel, Body extends WithModules>(
  app: FastifyInstance,
  owner: Resource<M, Body>,
  modules: Modules<N>,
  callOf: CallReader,
): void {
  const read = callWithin(owner.model, callOf)
  for (const name of modules.names) {
    const path = `${pathsOf(owner.model).item}/${name}`
    const options = moduleOptions(owner.model, name)

    app.put(path, options.put, async (request) => {
      const call = read(request)
      const module = modules.read({ [name]: request.body as object } as { [K in N]?: object })
      const { body } = await owner.change(idOf(request), call, (old) => ({
        ...old,
        modules: { ...old.modules, ...module },
      }))
      return modules.replyOne(name, body.modules, call)
    })

    app.get(path, options.get, async (request) => {
      const call = read(request)
      const { body } = await owner.get(idOf(request), call)
      const reply = modules.replyOne(name, body.modules, call)
      if (reply === null) throw new ServiceError('not_found')
      return reply
    })

    app.delete(path, options.remove, async (request, reply) => {
      await owner.change(idOf(request), read(request), (old) => ({
        ...old,
        modules: { ...old.modules, [name]: undefined },
      }))
      return reply.code(204).send()
    })
  }
}

function moduleOptions(
  model: ResourceModel,
  name: EdgeModuleName,
): Record<'put' | 'get' | 'remove', RouteShorthandOptions> {
  const { write, reply } = edgeModules[name]
  const tags = [model.title]
  return {
    put: {
      config: {
        fieldErrors: fieldErrorsOfModule(name),
        refusals: ['changed_meanwhile', ...refusalsOfModule(name)],
      },
      schema: { tags, summary: `Replace the module ${name}`, body: write, response: { 200: reply } },
      preValidation: async (request) => {
        request.body = readChangeBody(request.body, write, pathsOf(model).pathIds)
      },
    },
    get: { schema: { tags, summary: `Read the module ${name}`, response: { 200: reply } } },
    remove: { schema: { tags, summary: `Remove the module ${name}`, response: { 204: { type: 'null' } } } },
  }
}
