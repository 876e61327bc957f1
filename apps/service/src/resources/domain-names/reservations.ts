import type { Records } from '../../storage/records.ts'
import { coveringWildcards, reservationKey, reservationKeyName } from './reservation.ts'

/** Whose names are whose. */
export class Reservations {
  readonly #records: Records

  constructor(records: Records) {
    this.#records = records
  }

  /** The account that has reserved the name, or a wildcard above it. */
  async ownerOf(name: string): Promise<string | undefined> {
    for (const domain of [name, ...coveringWildcards(name)]) {
      const holder = await this.#records.holderOf({ name: reservationKeyName, value: reservationKey(domain) })
      if (holder !== undefined) return holder.accountId
    }
    return undefined
  }
}
