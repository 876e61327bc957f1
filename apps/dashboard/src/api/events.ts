import type { QueryClient } from '@tanstack/react-query'
import { EventSource } from 'eventsource'

/** One change of the account, or a sample of its traffic, as `GET /events` sends it. */
export interface AccountEvent {
  readonly event_type: string
  readonly object: unknown
}

type Listener = (event: AccountEvent) => void

/** The account's event stream. The browser reconnects by itself; whoever listens first opens it. */
class EventFeed {
  readonly #listeners = new Set<Listener>()
  #source: EventSource | undefined

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#source ??= this.#open()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#source?.close()
      this.#source = undefined
    }
  }

  #open(): EventSource {
    // The browser's own EventSource cannot send the version header.
    const source = new EventSource(new URL('/events', location.href), { fetch: fetchWithVersion })
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as AccountEvent
      for (const listener of this.#listeners) listener(event)
    }
    return source
  }
}

function fetchWithVersion(url: string | URL, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('service-version', '2')
  return fetch(url, { ...init, headers })
}

export const eventFeed = new EventFeed()

/** Refreshes the queries that an event concerns; a burst of events refreshes them once. */
export function refreshOnEvents(client: QueryClient): () => void {
  const pending = new Set<string>()
  return eventFeed.listen(({ event_type: type }) => {
    if (pending.size === 0) setTimeout(() => refresh(client, pending), burstMs)
    pending.add(type)
  })
}

const burstMs = 200

function refresh(client: QueryClient, types: Set<string>): void {
  const seen = [...types]
  types.clear()
  void client.invalidateQueries({
    predicate: ({ queryKey }) => seen.some((type) => concerns(String(queryKey[0]), type)),
  })
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
