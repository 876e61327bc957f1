import { ApiError } from '@tunnel/api-client'
import {
  type Query,
  QueryClient,
  skipToken,
  useIsFetching,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { type Listing, collect } from './listing.ts'

/** Events tell when something changed, so data is asked for again by itself at most once a minute. */
const refetchMs = 60_000
/** Lists of this size are kept current by their events alone, and read whole only as often as this. */
const largeListItems = 500
const largeListRefetchMs = 15 * 60_000

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: refetchMs,
        refetchInterval: ({ state }) => (isLarge(state.data) ? largeListRefetchMs : refetchMs),
        retry: (count, error) => count < 2 && (!(error instanceof ApiError) || error.status >= 500),
      },
    },
  })
}

export function isLarge(data: unknown): data is readonly unknown[] {
  return Array.isArray(data) && data.length > largeListItems
}

interface ListingOptions {
  /** Nothing is asked for before this is true. */
  readonly enabled?: boolean
}

/** All items; while a long list is still being read, its first items as placeholder data. */
export function useListing<T>(listing: Listing<T>, options: ListingOptions = {}) {
  const client = useQueryClient()
  const startKey = startKeyOf(listing.path)
  const start = useQuery<readonly T[]>({ queryKey: startKey, queryFn: skipToken })
  return useQuery<readonly T[]>({
    ...options,
    queryKey: [listing.path],
    queryFn: ({ signal }) => collect(listing, signal, (items) => client.setQueryData(startKey, items)),
    meta: { listing },
    ...(start.data && { placeholderData: () => start.data }),
  })
}

function startKeyOf(path: unknown) {
  return [path, 'start']
}

/** Whether something that is shown has not arrived at all. A long list counts as there from its first items on. */
export function useIsReading(): boolean {
  const client = useQueryClient()
  const isMissing = ({ queryKey: [path], state }: Query) =>
    state.data === undefined && client.getQueryData(startKeyOf(path)) === undefined
  return useIsFetching({ predicate: isMissing }) > 0
}

export function useResource<T>(listing: Listing<T>, id: string) {
  return useQuery({ queryKey: [`${listing.path}/${id}`], queryFn: () => listing.get(id) })
}

/** Makes one change and refreshes what is shown. Deletes and edits may touch other collections, so all are refreshed. */
export function useChange<T = unknown>() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: () => Promise<T>) => change(),
    onSuccess: () => client.invalidateQueries({ predicate: ({ state }) => !isLarge(state.data) }),
  })
}
