import { api } from '../api/client.ts'
import type { Listing, Resource } from '../api/listing.ts'

const kinds: readonly Listing<Resource>[] = [
  api.tunnelGroupBackends,
  api.httpResponseBackends,
  api.staticBackends,
  api.weightedBackends,
  api.failoverBackends,
]

/** Backends of every kind, for whatever forwards to one. */
export const anyBackend: Listing<Resource> = {
  path: '/backends',
  get: (id) => Promise.any(kinds.map((kind) => kind.get(id))),
  async *all() {
    for (const kind of kinds) yield* kind.all()
  },
}
