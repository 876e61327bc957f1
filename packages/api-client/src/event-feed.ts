import { EventSource } from 'eventsource'
import type { Transport } from './transport.ts'

const path = '/events'

/** One change of the account, or a sample of its traffic. */
export interface AccountEvent {
  readonly event_id: string
  /** What and how, such as `ip_policy_created.v0`. */
  readonly event_type: string
  /** RFC 3339. */
  readonly event_timestamp: string
  readonly object: Readonly<Record<string, unknown>>
}

export interface EventListener {
  readonly onEvent: (event: AccountEvent) => void
  /** The stream is open, for the first time or again. What was read before may have missed events. */
  readonly onOpen?: () => void
  /** The stream was refused or lost. After a loss it opens again by itself. */
  readonly onError?: () => void
}

/** The events of the account. The first listener opens the stream, the last closes it; it reconnects by itself. */
export class EventFeed {
  readonly #transport: Transport
  readonly #listeners = new Set<EventListener>()
  #source: EventSource | undefined

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** What this service remembers of one thing, or of a session and its tunnels, newest first. */
  async recent(aboutId: string): Promise<readonly AccountEvent[]> {
    const query = new URLSearchParams({ about: aboutId })
    const { events } = (await this.#transport.send('GET', `${path}/recent?${query}`)) as { events: AccountEvent[] }
    return events
  }

  /** Returns how to stop. */
  listen(listener: EventListener): () => void {
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
    const source = new EventSource(this.#transport.urlOf(path), {
      fetch: (_url, init) => this.#transport.request(path, { ...init }),
    })
    source.onopen = () => {
      for (const { onOpen } of this.#listeners) onOpen?.()
    }
    source.onerror = () => {
      for (const { onError } of this.#listeners) onError?.()
    }
    source.onmessage = ({ data }: { readonly data: string }) => {
      const event = JSON.parse(data) as AccountEvent
      for (const { onEvent } of this.#listeners) onEvent(event)
    }
    return source
  }
}
