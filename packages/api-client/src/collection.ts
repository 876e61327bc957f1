import type { CreateOf, ReplyOf, ResourceModel, UpdateOf } from '@tunnel/models'
import type { Transport } from './transport.ts'

const pageItems = 100

export interface ListOptions {
  /** Items on a page, 1 to 100. */
  readonly limit?: number
  /** A condition over an item, `obj`, such as `obj.metadata == "x"`. */
  readonly filter?: string
}

/** Which part of a collection to ask for. */
export interface PageOptions extends ListOptions {
  /** Only items whose id sorts before this one. */
  readonly beforeId?: string
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Give it as `beforeId` for the next page; null at the end. */
  readonly nextBeforeId: string | null
}

/** Reads a collection: by item, by page, or all of it. */
export class ReadableCollection<Item extends { readonly id: string }> {
  protected readonly transport: Transport
  /** Of the collection, such as `/ip_policies`. */
  readonly path: string
  readonly #listKey: string

  constructor(transport: Transport, path: string, listKey: string) {
    this.transport = transport
    this.path = path
    this.#listKey = listKey
  }

  /** Throws `ApiError`; one that `isNotFound` for an unknown id. */
  async get(id: string): Promise<Item> {
    return (await this.transport.send('GET', this.pathOf(id))) as Item
  }

  /** Newest first. */
  async page({ limit = pageItems, beforeId = '', filter }: PageOptions = {}): Promise<Page<Item>> {
    const query = new URLSearchParams({ before_id: beforeId, limit: String(limit), ...(filter && { filter }) })
    const reply = (await this.transport.send('GET', `${this.path}?${query}`)) as Record<string, unknown>
    const next = reply['next_page_uri'] as string | null
    // Not the last item's id: a filter may have looked further.
    const nextBeforeId = next === null ? null : new URL(next).searchParams.get('before_id')
    return { items: reply[this.#listKey] as Item[], nextBeforeId }
  }

  /** Every item, newest first, page by page as the loop goes on. */
  async *all(options: ListOptions = {}): AsyncGenerator<Item, void, undefined> {
    let beforeId: string | null = ''
    while (beforeId !== null) {
      const page: Page<Item> = await this.page({ ...options, beforeId })
      yield* page.items
      beforeId = page.nextBeforeId
    }
  }

  protected pathOf(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}`
  }
}

/** All that can be done with one type of resource. */
export class Collection<M extends ResourceModel> extends ReadableCollection<ReplyOf<M> & { readonly id: string }> {
  constructor(transport: Transport, model: M, path = model.path) {
    super(transport, path, model.listKey)
  }

  async create(fields: CreateOf<M>): Promise<ReplyOf<M>> {
    return (await this.transport.send('POST', this.path, fields)) as ReplyOf<M>
  }

  /** Fields that are left out stay as they are. */
  async update(id: string, fields: UpdateOf<M>): Promise<ReplyOf<M>> {
    return (await this.transport.send('PATCH', this.pathOf(id), fields)) as ReplyOf<M>
  }

  async delete(id: string): Promise<void> {
    await this.transport.send('DELETE', this.pathOf(id))
  }
}
