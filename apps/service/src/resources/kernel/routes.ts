import { type ResourceModel, ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Call, CallReader } from '../../api/caller.ts'
import { type Page, PageQuery, nextPageUri, readPage } from '../../api/paging.ts'
import { supportedFields } from '../../api/validation.ts'
import { readChangeBody, readCreateBody } from './tolerance.ts'

interface ItemParams {
  id: string
}

/** A resource type as its routes see it: what comes in has passed the schemas of the model. */
export interface ServedResource {
  readonly model: ResourceModel
  create(input: unknown, call: Call): Promise<object>
  get(id: string, call: Call): Promise<Identified>
  list(page: Page, call: Call): Promise<Identified[]>
  update(id: string, changes: unknown, call: Call): Promise<Identified>
  delete(id: string, call: Call): Promise<void>
  reply(item: Identified, call: Call): Promise<object>
}

interface Identified {
  readonly id: string
}

/** Registers create, list, read, update and delete of one resource type. */
export function resourceRoutes(app: FastifyInstance, resource: ServedResource, callOf: CallReader): void {
  const { path } = resource.model
  const options = routeOptions(resource.model)

  app.post(path, options.create, async (request, reply) => {
    const created = await resource.create(request.body, callOf(request))
    return reply.code(201).send(created)
  })

  app.get(path, options.list, async (request) => {
    const call = callOf(request)
    const page = readPage(request.query as object)
    const items = await resource.list(page, call)
    const shown = await Promise.all(items.slice(0, page.limit).map((item) => resource.reply(item, call)))
    const uri = call.baseUrl + path
    return { [resource.model.listKey]: shown, uri, next_page_uri: nextPageUri(uri, page, items) }
  })

  app.get<{ Params: ItemParams }>(`${path}/:id`, options.read, async (request) => {
    const call = callOf(request)
    return resource.reply(await resource.get(request.params.id, call), call)
  })

  app.patch<{ Params: ItemParams }>(`${path}/:id`, options.update, async (request) => {
    const call = callOf(request)
    return resource.reply(await resource.update(request.params.id, request.body, call), call)
  })

  app.delete<{ Params: ItemParams }>(`${path}/:id`, options.remove, async (request, reply) => {
    await resource.delete(request.params.id, callOf(request))
    return reply.code(204).send()
  })
}

function routeOptions(
  model: ResourceModel,
): Record<'create' | 'list' | 'read' | 'update' | 'remove', RouteShorthandOptions> {
  const { title, fieldErrors, listKey } = model
  const tags = [title]
  const config = { fieldErrors }
  const list = Type.Object({ [listKey]: Type.Array(model.reply), uri: Type.String(), next_page_uri: nullableText })
  return {
    create: {
      config,
      schema: { tags, summary: 'Create', body: model.create, response: { 201: model.reply } },
      preValidation: async (request) => {
        request.body = readCreateBody(request.body, model.create)
      },
    },
    list: { schema: { tags, summary: 'List', querystring: PageQuery, response: { 200: list } } },
    read: { schema: { tags, summary: 'Read', response: { 200: model.reply } } },
    update: {
      config,
      schema: { tags, summary: 'Update', body: model.update, response: { 200: model.reply } },
      preValidation: async (request) => {
        request.body = readChangeBody(request.body, model.update, ['id'])
        refuseEmptyPatch(request, model)
      },
    },
    remove: { schema: { tags, summary: 'Delete', response: { 204: Type.Null() } } },
  }
}

const nullableText: TSchema = Type.Union([Type.String(), Type.Null()])

function refuseEmptyPatch(request: FastifyRequest, { emptyPatch }: ResourceModel): void {
  if (emptyPatch === null || typeof request.body !== 'object' || Object.keys(request.body ?? {}).length > 0) return
  throw new ServiceError(emptyPatch as 'credential_patch_empty', { supported: supportedFields(request).join(', ') })
}
