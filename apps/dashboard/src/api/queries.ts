import { QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { type Collection, type Resource, listAll } from './collection.ts'
import { request } from './request.ts'

/** Events tell when something changed, so data is asked for again by itself at most once a minute. */
const refetchMs = 60_000

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: refetchMs,
        refetchInterval: refetchMs,
        retry: (count, error) =>
          count < 2 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
      },
    },
  })
}

export function useCollection<T extends Resource>(collection: Collection) {
  return useQuery({ queryKey: [collection.path], queryFn: () => listAll<T>(collection) })
}

export function useResource<T>(path: string) {
  return useQuery({ queryKey: [path], queryFn: () => request<T>('GET', path) })
}

interface Change {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: unknown
}

/** Sends one change and refreshes what is shown. Deletes and edits may touch other collections, so all are refreshed. */
export function useChange<T = unknown>() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ method, path, body }: Change) => request<T>(method, path, body),
    onSuccess: () => client.invalidateQueries(),
  })
}
