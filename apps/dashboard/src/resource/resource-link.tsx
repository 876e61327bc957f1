import { Link } from 'react-router'
import type { Listing, Resource } from '../api/listing.ts'
import { useListing } from '../api/queries.ts'
import { resourceName } from './resource-name.ts'

interface Props<T extends Resource> {
  readonly to: Listing<T>
  readonly page: string
  readonly id: string
  readonly nameOf?: (item: T) => string
}

/** Another resource by the name that people gave it. */
export function ResourceLink<T extends Resource>({ to, page, id, nameOf = resourceName }: Props<T>) {
  const { data, isPending, isPlaceholderData } = useListing(to)
  const item = data?.find((other) => other.id === id)
  const whileUnknown = isPending || isPlaceholderData ? '…' : id
  return <Link to={`/${page}/${id}`}>{item === undefined ? whileUnknown : nameOf(item)}</Link>
}
