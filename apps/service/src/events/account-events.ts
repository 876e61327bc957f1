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

/** Passes the events of each account to those who follow them. Nothing is kept: who was away asks the API again. */
export class AccountEvents {
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

  publish(accountId: string, type: string, object: object): void {
    const followers = this.#followers.get(accountId)
    if (followers === undefined) return
    const event: AccountEvent = {
      event_id: this.#mintId('ev'),
      event_type: `${type}.v0`,
      event_timestamp: new Date(this.#now()).toISOString(),
      account_id: accountId,
      object,
    }
    for (const follower of followers) follower(event)
  }
}
