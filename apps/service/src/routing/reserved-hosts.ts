import { HostTable } from './host-table.ts'
import { type ItemSource, Mirror } from './mirror.ts'

export interface StoredReservation {
  /** Lower-case; may begin with `*.`. */
  readonly domain: string
}

/** The domains that accounts have reserved: somebody means to publish there, whether or not anybody does now. */
export class ReservedHosts {
  readonly #stored: Mirror<StoredReservation>
  readonly #hosts = new HostTable()

  private constructor(stored: Mirror<StoredReservation>) {
    this.#stored = stored
    for (const { id, body } of stored.values()) this.#hosts.set(body.domain, id)
  }

  static async load(source: ItemSource<StoredReservation>): Promise<ReservedHosts> {
    return new ReservedHosts(await Mirror.load(source))
  }

  has(host: string): boolean {
    return this.#hosts.find(host) !== undefined
  }

  /** Takes over one change of the store. `kind` is the id prefix; changes of other types are none of ours. */
  async refresh(kind: string, id: string): Promise<void> {
    if (kind !== 'rd') return
    const { before, after } = await this.#stored.refresh(id)
    if (before !== undefined) this.#hosts.delete(before.body.domain)
    if (after !== undefined) this.#hosts.set(after.body.domain, id)
  }
}
