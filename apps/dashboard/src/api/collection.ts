import { request } from './request.ts'

/** A resource as the API returns it; pages narrow the fields that they show. */
export interface Resource {
  readonly id: string
  readonly uri?: string
  readonly created_at?: string
  readonly description?: string
  readonly metadata?: string
}

/** Where a kind of resource lives, and under which key its lists wrap the items. */
export interface Collection {
  readonly path: string
  readonly listKey: string
}

const pageSize = 100
/** More than this is not loaded into a page: the table says so, and the search narrows on the server's side. */
const itemsMax = 20_000

/** All items of a collection, newest first, page by page. */
export async function listAll<T extends Resource>({ path, listKey }: Collection): Promise<T[]> {
  const items: T[] = []
  let before = ''
  while (items.length < itemsMax) {
    const reply = await request<Record<string, unknown>>('GET', `${path}?before_id=${before}&limit=${pageSize}`)
    const page = reply[listKey] as T[]
    items.push(...page)
    const last = page.at(-1)
    if (last === undefined || reply['next_page_uri'] === null) break
    before = encodeURIComponent(last.id)
  }
  return items
}
