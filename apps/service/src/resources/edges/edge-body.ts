import { type EdgeModuleName, type EdgeModuleReply, reservedAddrModel, reservedDomainModel } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import { type Reference, referenceTo } from '../kernel/references.ts'
import type { UniqueRule } from '../kernel/definition.ts'
import { type HostportReader, type ReservedHostports, hostportKeys, noHostports, readHostports } from './hostports.ts'
import type { ModuleBodies, Modules } from './modules.ts'

interface Texts {
  readonly description?: string
  readonly metadata?: string
}

/** An edge as it is stored. */
export interface EdgeBody extends Texts, ReservedHostports {
  readonly modules: ModuleBodies
}

type EdgeInput<N extends EdgeModuleName> = Texts & { readonly hostports?: readonly string[] } & {
  readonly [K in N]?: object
}

type EdgeReply<N extends EdgeModuleName> = Texts & { hostports: string[] | null } & {
  [K in N]: EdgeModuleReply<K> | null
}

/** What all types of edges do with their bodies. */
export class EdgeBodies<N extends EdgeModuleName> {
  readonly modules: Modules<N>
  readonly #hostports: HostportReader

  constructor(modules: Modules<N>, hostports: HostportReader) {
    this.modules = modules
    this.#hostports = hostports
  }

  async create(input: EdgeInput<N>, accountId: string): Promise<EdgeBody> {
    return this.update({ ...noHostports, modules: {} }, input, accountId)
  }

  /** Fields and modules that are not given stay. */
  async update(body: EdgeBody, input: EdgeInput<N>, accountId: string): Promise<EdgeBody> {
    const { description = body.description, metadata = body.metadata } = input
    const hostports = await readHostports(input.hostports, accountId, this.#hostports)
    const modules = { ...body.modules, ...this.modules.read(input) }
    return { ...body, ...hostports, description, metadata, modules }
  }

  references(body: EdgeBody): Reference[] {
    const reservations = body.reservation_ids.map((id) =>
      referenceTo('hostports', id, [reservedDomainModel, reservedAddrModel]),
    )
    return [...reservations, ...this.modules.references(body.modules)]
  }

  reply({ description, metadata, hostports, modules }: EdgeBody, call: Call): EdgeReply<N> {
    return { description, metadata, hostports: hostports && [...hostports], ...this.modules.reply(modules, call) }
  }

  uniqueKeys(body: EdgeBody): UniqueRule[] {
    return hostportKeys(body)
  }
}
