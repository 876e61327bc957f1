import { ServiceError } from '@tunnel/models'

const windowMs = 15 * 60 * 1000
const failuresPerEmailMax = 10
const failuresPerAddressMax = 50
const trackedMax = 20_000

interface Failures {
  count: number
  readonly since: number
}

/** Slows down guessing: per e-mail address and per source address, in a window that starts with the first failure. */
export class SignInThrottle {
  readonly #failures = new Map<string, Failures>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** Throws `sign_in_throttled` after too many failures. */
  check(email: string, address: string): void {
    const waitMs = Math.max(
      this.#waitMs(`email ${email.toLowerCase()}`, failuresPerEmailMax),
      this.#waitMs(`address ${address}`, failuresPerAddressMax),
    )
    if (waitMs > 0) throw new ServiceError('sign_in_throttled', { minutes: Math.ceil(waitMs / 60_000) })
  }

  noteFailure(email: string, address: string): void {
    for (const key of [`email ${email.toLowerCase()}`, `address ${address}`]) {
      const failures = this.#current(key) ?? { count: 0, since: this.#now() }
      failures.count += 1
      this.#failures.delete(key)
      this.#failures.set(key, failures)
    }
    for (const key of this.#failures.keys()) {
      if (this.#failures.size <= trackedMax) break
      this.#failures.delete(key)
    }
  }

  #waitMs(key: string, max: number): number {
    const failures = this.#current(key)
    return failures === undefined || failures.count < max ? 0 : failures.since + windowMs - this.#now()
  }

  #current(key: string): Failures | undefined {
    const failures = this.#failures.get(key)
    return failures !== undefined && failures.since + windowMs > this.#now() ? failures : undefined
  }
}
