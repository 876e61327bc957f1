import type { Challenge, ChallengePresenter } from '../acme/issue.ts'

/** http-01 (RFC 8555 8.3): what the edge answers at `/.well-known/acme-challenge/TOKEN`. */
export class HttpChallenges {
  readonly #answers = new Map<string, Challenge>()
  readonly #onChanged: () => void

  constructor(onChanged: () => void = () => undefined) {
    this.#onChanged = onChanged
  }

  get published(): readonly Challenge[] {
    return [...this.#answers.values()]
  }

  replace(challenges: readonly Challenge[]): void {
    this.#answers.clear()
    for (const challenge of challenges) this.#answers.set(challenge.token, challenge)
  }

  readonly presenter: ChallengePresenter = {
    type: 'http-01',
    present: (challenges) => {
      for (const challenge of challenges) this.#answers.set(challenge.token, challenge)
      this.#onChanged()
      const withdraw = () => {
        for (const { token } of challenges) this.#answers.delete(token)
        this.#onChanged()
        return Promise.resolve()
      }
      return Promise.resolve({ [Symbol.asyncDispose]: withdraw })
    },
  }

  /** The body for a token of an order that is under way for this host; undefined for anything else. */
  find(host: string, token: string): string | undefined {
    const challenge = this.#answers.get(token)
    return challenge?.name === host ? challenge.keyAuthorization : undefined
  }
}
