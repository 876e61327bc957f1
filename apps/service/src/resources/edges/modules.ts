import { type EdgeModuleName, type EdgeModuleReply } from '@tunnel/models'
import type { Call } from '../../api/caller.ts'
import type { ModuleCheck } from '../../policies/route-modules.ts'
import type { Reference } from '../kernel/references.ts'
import { type ModuleRules, type StoredModule, moduleRules } from './module-rules.ts'

/** The modules of an owner as they are stored; one that was never set is missing. */
export type ModuleBodies = { readonly [N in EdgeModuleName]?: StoredModule<N> }

type AnyRules = ModuleRules<EdgeModuleName>
type AnyModule = Parameters<AnyRules['reply']>[0]

/** The modules that edges or routes of one type have. */
export class Modules<N extends EdgeModuleName> {
  readonly names: readonly N[]
  readonly #edge: 'https' | 'tcp' | 'tls'
  readonly #check: ModuleCheck

  constructor(names: readonly N[], edge: 'https' | 'tcp' | 'tls', check: ModuleCheck) {
    this.names = names
    this.#edge = edge
    this.#check = check
  }

  /** The modules in a body, checked and completed. */
  read(input: { readonly [K in N]?: object }): ModuleBodies {
    const given = this.names.filter((name) => input[name] !== undefined)
    return Object.fromEntries(given.map((name) => [name, this.#complete(name, input[name] ?? {})]))
  }

  references(body: ModuleBodies): Reference[] {
    return this.#stored(body).flatMap(([name, module]) => rulesOf(name).references?.(module) ?? [])
  }

  /** Every module as replies show it; null when it is not set. */
  reply(body: ModuleBodies, call: Call): { [K in N]: EdgeModuleReply<K> | null } {
    const entries = this.names.map((name) => [name, this.replyOne(name, body, call)] as const)
    return Object.fromEntries(entries) as { [K in N]: EdgeModuleReply<K> | null }
  }

  replyOne(name: N, body: ModuleBodies, call: Call): object | null {
    const module = body[name]
    return module === undefined ? null : rulesOf(name).reply(module, call)
  }

  #complete(name: N, input: object): object {
    const module = { enabled: true, ...input } as AnyModule
    const completed = rulesOf(name).complete?.(module, this.#edge) ?? module
    this.#check(name, completed, this.#edge)
    return completed
  }

  #stored(body: ModuleBodies): [N, AnyModule][] {
    return this.names.filter((name) => body[name] !== undefined).map((name) => [name, body[name] as AnyModule])
  }
}

function rulesOf(name: EdgeModuleName): AnyRules {
  return moduleRules[name]
}
