import { ServiceError } from '@tunnel/models'
import { type ListFilter, readFilter } from './list-filter.ts'
import { type Page, type PageQuery, nextPageUri, readPage } from './paging.ts'

const readAtOnce = 100
/** Items that one request looks at for those that its filter asks for. */
const lookedAtMax = 10_000

/** A collection that can be read from any id on, newest first. */
export interface ListSource<Item extends { readonly id: string }> {
  readonly uri: string
  /** The names of what replies hold. */
  readonly fields: readonly string[]
  fetch(limit: number, beforeId: string | undefined): Promise<readonly Item[]>
  show(items: readonly Item[]): Promise<readonly object[]>
}

interface ListPage {
  readonly shown: readonly object[]
  readonly nextPageUri: string | null
}

/** The page that a query asks for. Throws `ServiceError`. */
export async function readListPage<Item extends { readonly id: string }>(
  source: ListSource<Item>,
  query: PageQuery,
  now: number,
): Promise<ListPage> {
  const page = readPage(query)
  if (query.filter !== undefined && query.filter !== '')
    return filteredPage(source, page, { text: query.filter, matches: readFilter(query.filter, source.fields, now) })
  const items = await source.fetch(page.limit + 1, page.beforeId)
  const last = items.length > page.limit ? items[page.limit - 1] : undefined
  return {
    shown: await source.show(items.slice(0, page.limit)),
    nextPageUri: last === undefined ? null : nextPageUri(source.uri, last.id, page),
  }
}

interface Filter {
  readonly text: string
  readonly matches: ListFilter
}

/** Items are looked at until one more than the page holds is found: clients take an empty page for the end. */
async function filteredPage<Item extends { readonly id: string }>(
  source: ListSource<Item>,
  page: Page,
  filter: Filter,
): Promise<ListPage> {
  const found: { id: string; reply: object }[] = []
  let beforeId = page.beforeId
  for (let lookedAt = 0; lookedAt < lookedAtMax; lookedAt += readAtOnce) {
    const items = await source.fetch(readAtOnce, beforeId)
    const replies = await source.show(items)
    for (const [index, { id }] of items.entries()) {
      const reply = replies[index]
      if (reply !== undefined && filter.matches(reply)) found.push({ id, reply })
      beforeId = id
    }
    if (found.length > page.limit || items.length < readAtOnce) return cut(source, found, page, filter)
  }
  if (found.length === 0 || beforeId === undefined) throw new ServiceError('filter_too_rare', { max: lookedAtMax })
  return { shown: found.map(({ reply }) => reply), nextPageUri: nextPageUri(source.uri, beforeId, page, filter.text) }
}

function cut(
  { uri }: { readonly uri: string },
  found: readonly { readonly id: string; readonly reply: object }[],
  page: Page,
  { text }: Filter,
): ListPage {
  const last = found.length > page.limit ? found[page.limit - 1] : undefined
  return {
    shown: found.slice(0, page.limit).map(({ reply }) => reply),
    nextPageUri: last === undefined ? null : nextPageUri(uri, last.id, page, text),
  }
}
