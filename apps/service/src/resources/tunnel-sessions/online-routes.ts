import { type OnlineModel, ServiceError } from '@tunnel/models'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Call, CallReader } from '../../api/caller.ts'
import { readListPage } from '../../api/list-page.ts'
import { PageQuery } from '../../api/paging.ts'

interface Identified {
  readonly id: string
}

/** Where the items of an account are found. */
export interface OnlineItems<Item extends Identified> {
  /** Newest first, at most `count`, those with an id below `beforeId`. */
  page(call: Call, count: number, beforeId?: string): Promise<readonly Item[]>
  find(call: Call, id: string): Promise<Item | undefined>
}

/** Something online, as its list and read routes see it. */
export interface OnlineCollection<Item extends Identified> {
  readonly model: OnlineModel
  readonly items: OnlineItems<Item>
  /** In the order of the items. */
  readonly replies: (items: readonly Item[], call: Call) => Promise<readonly object[]>
}

/** Each item is shown for itself. */
export function oneByOne<Item>(
  reply: (item: Item, call: Call) => object | Promise<object>,
): (items: readonly Item[], call: Call) => Promise<object[]> {
  return (items, call) => Promise.all(items.map(async (item) => reply(item, call)))
}

/** Items of which a part of the service holds all in memory, in any order. */
export function itemsInMemory<Item extends Identified>(all: (accountId: string) => readonly Item[]): OnlineItems<Item> {
  return {
    page: ({ caller }, count, beforeId) => Promise.resolve(newestFirst(all(caller.accountId), count, beforeId)),
    find: ({ caller }, id) => Promise.resolve(all(caller.accountId).find((item) => item.id === id)),
  }
}

/** The part of some items that is a page. Of thousands, only about as many as the page holds are put in order. */
export function newestFirst<Item extends Identified>(items: readonly Item[], count: number, beforeId?: string): Item[] {
  let page: Item[] = []
  let least = ''
  // Those that came last are mostly the newest: once they are found, the others are passed over.
  for (const item of items.toReversed()) {
    if (item.id <= least || (beforeId !== undefined && item.id >= beforeId)) continue
    if (page.push(item) < 2 * count) continue
    page = firstOf(page, count)
    least = page.at(-1)?.id ?? ''
  }
  return firstOf(page, count)
}

function firstOf<Item extends Identified>(items: readonly Item[], count: number): Item[] {
  return items.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, count)
}

/** Registers the list and the reading of one kind of things that are online. */
export function onlineRoutes<Item extends Identified>(
  app: FastifyInstance,
  { model, items, replies }: OnlineCollection<Item>,
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
    async (request) => {
      const call = callOf(request)
      const source = {
        uri: call.baseUrl + model.path,
        fields: Object.keys(model.reply.properties),
        fetch: (limit: number, beforeId: string | undefined) => items.page(call, limit, beforeId),
        show: (found: readonly Item[]) => replies(found, call),
      }
      const page = await readListPage(source, request.query as object, call.now)
      return { [model.listKey]: page.shown, uri: source.uri, next_page_uri: page.nextPageUri }
    },
  )

  app.get<{ Params: { id: string } }>(
    `${model.path}/:id`,
    { schema: { tags, summary: 'Read', response: { 200: model.reply } } },
    async (request) => {
      const call = callOf(request)
      const item = await items.find(call, request.params.id)
      if (item === undefined) throw new ServiceError('not_found')
      const [shown] = await replies([item], call)
      return shown
    },
  )
}
