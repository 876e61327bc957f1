import { type ResourceModel, ServiceError } from '@tunnel/models'
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { type TSchema, Type } from 'typebox'
import type { Call, CallReader } from '../../api/caller.ts'
import { readListPage } from '../../api/list-page.ts'
import { type Page, PageQuery } from '../../api/paging.ts'
import { supportedFields } from '../../api/validation.ts'
import type { ResourceDefinition } from './definition.ts'
import { callWithin, idOf, pathsOf } from './paths.ts'
import { readChangeBody, readCreateBody } from './tolerance.ts'

/** A resource type as its routes see it: what comes in has passed the schemas of the model. */
export interface ServedResource {
  readonly model: ResourceModel
  readonly definition: Pick<ResourceDefinition<ResourceModel, object>, 'inUse' | 'modernize'>
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

type Operation = 'create' | 'list' | 'read' | 'update' | 'remove'

const allOperations: readonly Operation[] = ['create', 'list', 'read', 'update', 'remove']

/** Registers the routes of one resource type: all five operations, or those given. */
export function resourceRoutes(
  app: FastifyInstance,
  resource: ServedResource,
  callOf: CallReader,
  operations = allOperations,
): void {
  const { model } = resource
  const options = routeOptions(model, resource.definition)
  const { collection, item } = pathsOf(model)
  const read = callWithin(model, callOf)

  const register: Record<Operation, () => void> = {
    create: () =>
      app.post(collection, options.create, async (request, reply) => {
        const created = await resource.create(request.body, read(request))
        return reply.code(201).send(created)
      }),
    list: () =>
      app.get(collection, options.list, async (request) => listReply(resource, request.query as object, read(request))),
    read: () =>
      app.get(item, options.read, async (request) => {
        const call = read(request)
        return resource.reply(await resource.get(idOf(request), call), call)
      }),
    update: () =>
      app.patch(item, options.update, async (request) => {
        const call = read(request)
        return resource.reply(await resource.update(idOf(request), request.body, call), call)
      }),
    remove: () =>
      app.delete(item, options.remove, async (request, reply) => {
        await resource.delete(idOf(request), read(request))
        return reply.code(204).send()
      }),
  }
  for (const operation of operations) register[operation]()
}

async function listReply(resource: ServedResource, query: object, call: Call): Promise<Record<string, unknown>> {
  const { path, listKey, reply } = resource.model
  const source = {
    uri: call.baseUrl + path,
    fields: Object.keys(reply.properties),
    fetch: (limit: number, beforeId: string | undefined) => resource.list({ limit, beforeId }, call),
    show: (items: readonly Identified[]) => Promise.all(items.map((item) => resource.reply(item, call))),
  }
  const page = await readListPage(source, query, call.now)
  return { [listKey]: page.shown, uri: source.uri, next_page_uri: page.nextPageUri }
}

function routeOptions(
  model: ResourceModel,
  { inUse = 'resource_in_use', modernize }: ServedResource['definition'],
): Record<Operation, RouteShorthandOptions> {
  const { title, fieldErrors, refusals, listKey, emptyPatch } = model
  const { pathIds } = pathsOf(model)
  const tags = [title]
  const list = Type.Object({ [listKey]: Type.Array(model.reply), uri: Type.String(), next_page_uri: nullableText })
  return {
    create: {
      config: { fieldErrors, refusals },
      schema: { tags, summary: `Create: ${title}`, body: model.create, response: { 201: model.reply } },
      preValidation: async (request) => {
        request.body = readCreateBody(request.body, model.create, pathIds, modernize)
      },
    },
    list: { schema: { tags, summary: `List: ${title}`, querystring: PageQuery, response: { 200: list } } },
    read: { schema: { tags, summary: `Read: ${title}`, response: { 200: model.reply } } },
    update: {
      config: {
        fieldErrors,
        refusals: ['changed_meanwhile', ...refusals, ...(emptyPatch === null ? [] : [emptyPatch])],
      },
      schema: { tags, summary: `Update: ${title}`, body: model.update, response: { 200: model.reply } },
      preValidation: async (request) => {
        request.body = readChangeBody(request.body, model.update, pathIds, model.create.required)
        refuseEmptyPatch(request, model)
      },
    },
    remove: {
      config: { refusals: [inUse] },
      schema: { tags, summary: `Delete: ${title}`, response: { 204: Type.Null() } },
    },
  }
}

const nullableText: TSchema = Type.Union([Type.String(), Type.Null()])

function refuseEmptyPatch(request: FastifyRequest, { emptyPatch }: ResourceModel): void {
  const { body } = request
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
  if (emptyPatch === null || !isEmpty) return
  throw new ServiceError(emptyPatch as 'credential_patch_empty', { supported: supportedFields(request).join(', ') })
}
