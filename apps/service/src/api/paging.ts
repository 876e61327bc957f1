import { ServiceError } from '@tunnel/models'
import { type Static, Type } from 'typebox'

const pageItemsMax = 100

export const PageQuery = Type.Object({
  before_id: Type.Optional(Type.String({ description: 'Only items whose id sorts before this one.' })),
  limit: Type.Optional(Type.String({ description: `Items on a page, 1 to ${pageItemsMax}. Default ${pageItemsMax}.` })),
})

/** Which part of a collection is asked for. */
export interface Page {
  readonly limit: number
  readonly beforeId: string | undefined
}

/** Throws `ServiceError` for a limit that is no whole number or out of range. An empty `before_id` means the start. */
export function readPage(query: Static<typeof PageQuery>): Page {
  const { limit = '', before_id: beforeId = '' } = query
  if (limit !== '' && !/^-?\d+$/.test(limit))
    throw new ServiceError('limit_not_a_number', { limit: limit.slice(0, 40), max: pageItemsMax })
  const number = limit === '' ? pageItemsMax : Number(limit)
  if (number < 1 || number > pageItemsMax)
    throw new ServiceError('limit_out_of_range', { limit: limit.slice(0, 40), max: pageItemsMax })
  return { limit: number, beforeId: beforeId === '' ? undefined : beforeId }
}

/** The absolute address of the page after this one, or null. `items` holds one more than the page when there is one. */
export function nextPageUri(uri: string, page: Page, items: readonly { readonly id: string }[]): string | null {
  const last = items[page.limit - 1]
  const hasMore = items.length > page.limit && last !== undefined
  return hasMore ? `${uri}?before_id=${last.id}&limit=${page.limit}` : null
}
