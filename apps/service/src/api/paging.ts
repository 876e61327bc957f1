import { ServiceError } from '@tunnel/models'
import { type Static, Type } from 'typebox'

const pageItemsMax = 100

export const PageQuery = Type.Object({
  before_id: Type.Optional(Type.String({ description: 'Only items whose id sorts before this one.' })),
  filter: Type.Optional(
    Type.String({ description: 'Only items for which this holds, such as `obj.metadata == "x"`.' }),
  ),
  limit: Type.Optional(Type.String({ description: `Items on a page, 1 to ${pageItemsMax}. Default ${pageItemsMax}.` })),
})
export type PageQuery = Static<typeof PageQuery>

/** Which part of a collection is asked for. */
export interface Page {
  readonly limit: number
  readonly beforeId: string | undefined
}

/** Throws `ServiceError` for a limit that is no whole number or out of range. An empty `before_id` means the start. */
export function readPage(query: PageQuery): Page {
  const { limit = '', before_id: beforeId = '' } = query
  if (limit !== '' && !/^-?\d+$/.test(limit))
    throw new ServiceError('limit_not_a_number', { limit: limit.slice(0, 40), max: pageItemsMax })
  const number = limit === '' ? pageItemsMax : Number(limit)
  if (number < 1 || number > pageItemsMax)
    throw new ServiceError('limit_out_of_range', { limit: limit.slice(0, 40), max: pageItemsMax })
  return { limit: number, beforeId: beforeId === '' ? undefined : beforeId }
}

/** The absolute address of the page after the one that ends with `lastId`. */
export function nextPageUri(uri: string, lastId: string, { limit }: Page, filter?: string): string {
  const filtered = filter === undefined ? '' : `&filter=${encodeURIComponent(filter)}`
  return `${uri}?before_id=${lastId}${filtered}&limit=${limit}`
}
