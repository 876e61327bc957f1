import { GuardBroken, type Records } from '../../storage/records.ts'
import type { ServiceValues } from '../../storage/service-values.ts'
import type { CertificateState } from './certificate-state.ts'
import type { CertificateStates } from './provisioner.ts'

/** The one subject that belongs to no account: the service's own domain. */
export const serviceSubjectId = 'service'

const serviceValueName = 'certificate-state'
const kind = 'certificate_state'

/**
 * States in the store. That of a resource is a child of it, gone with it, and links to the certificate that it holds,
 * so that nobody can delete a certificate in use.
 */
export class StoredStates implements CertificateStates {
  readonly #records: Records
  readonly #values: ServiceValues

  constructor({ records, values }: { readonly records: Records; readonly values: ServiceValues }) {
    this.#records = records
    this.#values = values
  }

  async all(): Promise<ReadonlyMap<string, CertificateState>> {
    const rows = await this.#records.all(kind)
    const states = new Map(rows.map((row) => [row.parentId ?? '', parse(row.body)]))
    const own = await this.read(serviceSubjectId)
    return own === null ? states : states.set(serviceSubjectId, own.state)
  }

  async read(id: string): Promise<{ readonly state: CertificateState; readonly revision: number } | null> {
    if (id === serviceSubjectId) {
      const found = await this.#values.read(serviceValueName)
      return found && { state: parse(found.value), revision: found.revision }
    }
    const row = await this.#records.get(kind, rowId(id))
    return row === undefined ? null : { state: parse(row.body), revision: row.revision }
  }

  async save(id: string, state: CertificateState, revision: number | null): Promise<number | null> {
    const body = JSON.stringify(state)
    const next = revision === null ? firstRevision(id) : revision + 1
    const isSaved =
      id === serviceSubjectId
        ? await this.#values.write(serviceValueName, body, revision)
        : await this.#saveRow(id, state, body, revision)
    return isSaved ? next : null
  }

  async remove(id: string): Promise<void> {
    if (id === serviceSubjectId) await this.#values.remove(serviceValueName)
    else await this.#records.delete(rowId(id))
  }

  async #saveRow(id: string, { held }: CertificateState, body: string, revision: number | null): Promise<boolean> {
    const owner = await this.#records.get(kindOf(id), id)
    if (owner === undefined) return false
    const { accountId, createdAt } = owner
    const row = {
      id: rowId(id),
      kind,
      accountId,
      parentId: id,
      createdAt,
      revision: revision ?? firstRevision(id),
      body,
    }
    const guards = { links: held === null ? [] : [held.id], uniqueKeys: [] }
    try {
      if (revision !== null) return await this.#records.update(row, body, guards)
      await this.#records.insert(row, guards, {})
      return true
    } catch (error) {
      if (error instanceof GuardBroken) return false
      throw error
    }
  }
}

function firstRevision(id: string): number {
  return id === serviceSubjectId ? 1 : 0
}

function rowId(ownerId: string): string {
  return `certificate-state-of-${ownerId}`
}

/** Ids begin with the prefix of their type. */
function kindOf(id: string): string {
  return id.slice(0, id.indexOf('_'))
}

function parse(body: string): CertificateState {
  return JSON.parse(body) as CertificateState
}
