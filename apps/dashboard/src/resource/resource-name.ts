import type { Resource } from '../api/listing.ts'

/** What people call it; the id of a thing that nobody named. */
export function resourceName(item: Resource & { readonly domain?: string; readonly name?: string }): string {
  return item.name || item.domain || item.description || item.id
}
