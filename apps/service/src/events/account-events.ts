/** One thing that happened in an account, as `GET /events` sends it. */
export interface AccountEvent {
  readonly event_id: string
  /** What and how, such as `ip_policy_created.v0`. */
  readonly event_type: string
  /** RFC 3339. */
  readonly event_timestamp: string
  readonly account_id: string
  readonly object: object
}

type Listener = (event: AccountEvent) => void

/** At least so many events of an account are remembered, at most twice as many; and accounts of which any are. */
const rememberedMax = 500
const accountsMax = 100

/** Passes the events of each account to those who follow them, and remembers the latest until the service ends. */
export class AccountEvents {
  readonly #recent = new Map<string, AccountEvent[]>()
  readonly #followers = new Map<string, Set<Listener>>()
  readonly #mintId: (prefix: string) => string
  readonly #now: () => number

  constructor(mintId: (prefix: string) => string, now: () => number) {
    this.#mintId = mintId
    this.#now = now
  }

  /** Accounts that somebody follows at this moment. */
  get followedAccounts(): Iterable<string> {
    return this.#followers.keys()
  }

  followerCount(accountId: string): number {
    return this.#followers.get(accountId)?.size ?? 0
  }

  /** Returns how to stop. */
  follow(accountId: string, listener: Listener): () => void {
    const followers = this.#followers.get(accountId) ?? new Set()
    this.#followers.set(accountId, followers.add(listener))
    return () => {
      followers.delete(listener)
      if (followers.size === 0) this.#followers.delete(accountId)
    }
  }

  /** Newest first; `aboutId` selects those of one thing and of what belongs to its session. */
  recent(accountId: string, aboutId?: string): AccountEvent[] {
    const events = this.#recent.get(accountId) ?? []
    return events.filter(({ object }) => aboutId === undefined || isAbout(object, aboutId)).reverse()
  }

  publish(accountId: string, type: string, object: object): void {
    const event = this.#event(accountId, type, object)
    this.#remember(event)
    this.#pass(event)
  }

  /** For what is worth nothing later: it is only passed on. */
  publishInPassing(accountId: string, type: string, object: object): void {
    if (this.#followers.has(accountId)) this.#pass(this.#event(accountId, type, object))
  }

  #event(accountId: string, type: string, object: object): AccountEvent {
    return {
      event_id: this.#mintId('ev'),
      event_type: `${type}.v0`,
      event_timestamp: new Date(this.#now()).toISOString(),
      account_id: accountId,
      object,
    }
  }

  #remember(event: AccountEvent): void {
    const events = this.#recent.get(event.account_id) ?? []
    // Put last again: the first account of the map is the one that was quiet for the longest time.
    this.#recent.delete(event.account_id)
    this.#recent.set(event.account_id, events)
    const [quietest] = this.#recent.keys()
    if (this.#recent.size > accountsMax && quietest !== undefined) this.#recent.delete(quietest)
    if (events.push(event) >= 2 * rememberedMax) events.splice(0, rememberedMax)
  }

  #pass(event: AccountEvent): void {
    for (const follower of this.#followers.get(event.account_id) ?? []) follower(event)
  }
}

function isAbout(object: object, id: string): boolean {
  const { id: own, tunnel_session: session } = object as { id?: string; tunnel_session?: { id: string } }
  return own === id || session?.id === id
}
