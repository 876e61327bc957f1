import { setTimeout as delay } from 'node:timers/promises'
import type { Challenge, ChallengePresenter } from '../acme/issue.ts'

/** Where challenge values become visible; all values of a name at once, none withdraws it. */
export interface TextRecords {
  publishText(name: string, values: readonly string[]): void
}

export interface DnsChallengesOptions {
  readonly records: TextRecords
  /** How long resolvers may go on with what they saw before: the TTL of the records and a margin. */
  readonly settleMs: number
  readonly nowMs: () => number
}

/** dns-01 (RFC 8555 8.4) through our own DNS. */
export class DnsChallenges {
  readonly #options: DnsChallengesOptions
  /** Names that resolvers may still remember with values of an earlier order. */
  readonly #reusableAtMs = new Map<string, number>()

  constructor(options: DnsChallengesOptions) {
    this.#options = options
  }

  /** A presenter for one subject; `recordOf` says where the proof for a name is published. */
  presenter(recordOf: (name: string) => string): ChallengePresenter {
    return {
      type: 'dns-01',
      present: (challenges, signal) => this.#present(groupByRecord(challenges, recordOf), signal),
    }
  }

  async #present(
    valuesByRecord: ReadonlyMap<string, readonly string[]>,
    signal: AbortSignal,
  ): Promise<AsyncDisposable> {
    const records = [...valuesByRecord.keys()]
    await delay(this.#untilReusable(records), undefined, { signal })
    const withdraw = () => Promise.resolve(this.#withdraw(records))
    try {
      for (const [record, values] of valuesByRecord) this.#options.records.publishText(record, values)
      await delay(this.#options.settleMs, undefined, { signal })
    } catch (error) {
      await withdraw()
      throw error
    }
    return { [Symbol.asyncDispose]: withdraw }
  }

  #untilReusable(records: readonly string[]): number {
    const now = this.#options.nowMs()
    for (const [record, atMs] of this.#reusableAtMs) if (atMs <= now) this.#reusableAtMs.delete(record)
    return Math.max(0, ...records.map((record) => (this.#reusableAtMs.get(record) ?? now) - now))
  }

  #withdraw(records: readonly string[]): void {
    for (const record of records) {
      this.#options.records.publishText(record, [])
      this.#reusableAtMs.set(record, this.#options.nowMs() + this.#options.settleMs)
    }
  }
}

/** An apex and its wildcard prove themselves with two values at one name. */
function groupByRecord(challenges: readonly Challenge[], recordOf: (name: string) => string): Map<string, string[]> {
  const groups = Map.groupBy(challenges, ({ name }) => recordOf(name))
  return new Map([...groups].map(([record, group]) => [record, group.map(({ textValue }) => textValue)]))
}
