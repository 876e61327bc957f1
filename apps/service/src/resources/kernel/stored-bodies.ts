import type { ResourceRow } from '../../storage/records.ts'
import type { SecretChanges, Secrets } from '../../storage/secrets.ts'
import type { SealedParts, Stored } from './definition.ts'

/** A body in the form in which it is stored. */
interface WrittenBody {
  readonly text: string
  readonly secrets: SecretChanges
}

/** Bodies between memory and store, where their secret parts lie sealed beside them. */
export class StoredBodies<Body extends object> {
  readonly #parts: SealedParts<Body> | undefined
  readonly #secrets: Secrets

  constructor(parts: SealedParts<Body> | undefined, secrets: Secrets) {
    this.#parts = parts
    this.#secrets = secrets
  }

  async read(row: ResourceRow): Promise<Stored<Body>> {
    const open = JSON.parse(row.body) as Body
    const names = this.#parts?.names(open) ?? []
    return toStored(row, names.length === 0 ? open : await this.#complete(row.id, open, names))
  }

  readAll(rows: readonly ResourceRow[]): Promise<Stored<Body>[]> {
    return Promise.all(rows.map((row) => this.read(row)))
  }

  /** `before` is the row whose place the body takes: secrets that only it has are to go. */
  write(body: Body, before?: ResourceRow): WrittenBody {
    if (this.#parts === undefined) return { text: JSON.stringify(body), secrets: {} }
    const { open, secrets } = this.#parts.take(body)
    const names = before === undefined ? [] : this.#parts.names(JSON.parse(before.body) as Body)
    const gone = Object.fromEntries(names.map((name) => [name, null]))
    return { text: JSON.stringify(open), secrets: { ...gone, ...secrets } }
  }

  async #complete(id: string, open: Body, names: readonly string[]): Promise<Body> {
    const entries = await Promise.all(names.map(async (name) => [name, await this.#secrets.read(id, name)] as const))
    const found = entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
    return this.#parts?.put(open, Object.fromEntries(found)) ?? open
  }
}

/** The item that a row and the body in memory make, as the next reading would find it. */
export function toStored<Body>({ id, accountId, parentId, createdAt }: ResourceRow, body: Body): Stored<Body> {
  return { id, accountId, parentId, createdAt, body }
}
