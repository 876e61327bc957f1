import type { AccountEvent } from '@tunnel/api-client'
import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { startTransition, useEffect, useState } from 'react'
import { api } from './client.ts'
import type { Listing, Resource } from './listing.ts'
import { isLarge } from './queries.ts'

const burstMs = 100
/** More changes than this in one burst, and a large list is read whole instead of item by item. */
const patchedItemsMax = 40

/** Pages do not wait longer than this for the events to flow. */
const followLimitMs = 1_000

/**
 * Keeps what is shown current. True as soon as events flow, or are not to be had: what is read from then on misses no
 * change, and need not be read again when the stream opens.
 */
export function useLiveUpdates(): boolean {
  const client = useQueryClient()
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    // Without a transition React keeps what follows back for 300 ms, should its code not be at hand in the same moment.
    const settle = () => startTransition(() => setSettled(true))
    const timer = setTimeout(settle, followLimitMs)
    const stop = refreshOnEvents(client, settle)
    return () => (clearTimeout(timer), stop())
  }, [client])
  return isSettled
}

/** A burst of events refreshes the queries that it concerns once. */
function refreshOnEvents(client: QueryClient, onSettled: () => void): () => void {
  let pending: AccountEvent[] = []
  const apply = () => {
    const events = pending
    pending = []
    for (const query of client.getQueryCache().getAll()) {
      const ofInterest = events.filter(({ event_type: type }) => concerns(String(query.queryKey[0]), type))
      if (ofInterest.length > 0) void refresh(client, query, ofInterest)
    }
  }
  return api.events.listen({
    onEvent: (event) => {
      if (pending.push(event) === 1) setTimeout(apply, burstMs)
    },
    onOpen: () => (void client.invalidateQueries(), onSettled()),
    onError: onSettled,
  })
}

async function refresh(client: QueryClient, query: Query, events: readonly AccountEvent[]): Promise<void> {
  const listing = query.meta?.['listing'] as Listing<Resource> | undefined
  const changes = new Map(events.map(({ event_type: type, object }) => [String(object['id']), type]))
  if (listing === undefined || !isLarge(query.state.data) || changes.size > patchedItemsMax)
    return client.invalidateQueries({ queryKey: query.queryKey })
  const gone = [...changes].filter(([, type]) => isEnd(type)).map(([id]) => id)
  const current = await Promise.allSettled(
    [...changes.keys()].filter((id) => !gone.includes(id)).map((id) => listing.get(id)),
  )
  const fresh = current.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  client.setQueryData<readonly Resource[]>(query.queryKey, (items) => items && patched(items, fresh, new Set(gone)))
}

function isEnd(eventType: string): boolean {
  return /_(?:stopped|deleted)\.v0$/.test(eventType)
}

/** Replaces what changed, puts what is new first as in the API's own order, and leaves out what is gone. */
export function patched<T extends Resource>(items: readonly T[], fresh: readonly T[], gone: ReadonlySet<string>): T[] {
  const byId = new Map(fresh.map((item) => [item.id, item]))
  const kept = items.filter(({ id }) => !gone.has(id)).map((item) => take(byId, item.id) ?? item)
  return [...byId.values(), ...kept]
}

function take<V>(map: Map<string, V>, key: string): V | undefined {
  const value = map.get(key)
  map.delete(key)
  return value
}

/** Event names begin with the resource (`ip_policy_rule_created`); paths end in its collection (`/ip_policy_rules`). */
export function concerns(path: string, eventType: string): boolean {
  return path.split('/').some((part) => part !== '' && eventType.startsWith(singular(part)))
}

function singular(collection: string): string {
  return collection
    .replace(/ies$/, 'y')
    .replace(/sses$/, 'ss')
    .replace(/([^s])s$/, '$1')
}
