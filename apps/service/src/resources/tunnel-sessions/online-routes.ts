import { type OnlineModel, ServiceError } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Call, CallReader } from '../../api/caller.ts'
import { PageQuery, nextPageUri, readPage } from '../../api/paging.ts'

/** Something online, as its list and read routes see it. */
export interface OnlineCollection<Item extends { readonly id: string }> {
  readonly model: OnlineModel
  /** All of the account, in any order. */
  readonly all: (accountId: string) => readonly Item[]
  readonly reply: (item: Item, call: Call) => object
}

/** Registers the list and the reading of one kind of things that are online. */
export function onlineRoutes<Item extends { readonly id: string }>(
  app: FastifyInstance,
  { model, all, reply }: OnlineCollection<Item>,
  callOf: CallReader,
): void {
  const tags = [model.title]
  const nullableText = Type.Union([Type.String(), Type.Null()])
  const list = Type.Object({
    [model.listKey]: Type.Array(model.reply),
    uri: Type.String(),
    next_page_uri: nullableText,
  })

  app.get(
    model.path,
    { schema: { tags, summary: 'List', querystring: PageQuery, response: { 200: list } } },
    (request) => {
      const call = callOf(request)
      const page = readPage(request.query as object)
      const items = pageOf(all(call.caller.accountId), page.limit + 1, page.beforeId)
      const shown = items.slice(0, page.limit).map((item) => reply(item, call))
      const uri = call.baseUrl + model.path
      return { [model.listKey]: shown, uri, next_page_uri: nextPageUri(uri, page, items) }
    },
  )

  app.get<{ Params: { id: string } }>(
    `${model.path}/:id`,
    { schema: { tags, summary: 'Read', response: { 200: model.reply } } },
    (request) => {
      const call = callOf(request)
      const item = all(call.caller.accountId).find(({ id }) => id === request.params.id)
      if (item === undefined) throw new ServiceError('not_found')
      return reply(item, call)
    },
  )
}

/** Newest first. */
function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  count: number,
  beforeId?: string,
): Item[] {
  const before = beforeId === undefined ? items : items.filter(({ id }) => id < beforeId)
  return before.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, count)
}
