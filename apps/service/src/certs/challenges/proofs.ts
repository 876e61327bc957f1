import type { Challenge } from '../acme/issue.ts'
import type { TextRecords } from './dns-challenges.ts'
import { HttpChallenges } from './http-challenges.ts'

/** All proofs that are published at the moment. */
export interface PublishedProofs {
  readonly texts: readonly (readonly [name: string, values: readonly string[]])[]
  readonly answers: readonly Challenge[]
}

export interface ProofsOptions {
  /** Our DNS. */
  readonly records: TextRecords
  /** A proof was published or withdrawn here. */
  readonly onChanged: () => void
}

/** The proofs of orders under way, over DNS and HTTP. One process places the orders; all of them answer for it. */
export class Proofs implements TextRecords {
  readonly #options: ProofsOptions
  readonly #texts = new Map<string, readonly string[]>()
  readonly answers: HttpChallenges

  constructor(options: ProofsOptions) {
    this.#options = options
    this.answers = new HttpChallenges(options.onChanged)
  }

  get published(): PublishedProofs {
    return { texts: [...this.#texts], answers: this.answers.published }
  }

  /** Withdraws all. */
  clear(): void {
    this.replace({ texts: [], answers: [] })
    this.#options.onChanged()
  }

  publishText(name: string, values: readonly string[]): void {
    this.#put(name, values)
    this.#options.onChanged()
  }

  /** Takes over what the process that places the orders has published. */
  replace({ texts, answers }: PublishedProofs): void {
    this.answers.replace(answers)
    const wanted = new Map(texts)
    for (const name of this.#texts.keys()) if (!wanted.has(name)) this.#put(name, [])
    for (const [name, values] of wanted) this.#put(name, values)
  }

  #put(name: string, values: readonly string[]): void {
    this.#options.records.publishText(name, values)
    if (values.length === 0) this.#texts.delete(name)
    else this.#texts.set(name, values)
  }
}
