import { UserAgentFilter } from '@tunnel/policy-engine'
import type { EdgeRoute, RouteModule } from '../edge/edge-route.ts'
import type { StoredModules, StoredRoute } from './edge-sources.ts'
import type { MirroredItem } from './mirror.ts'

/** Compiles the modules of a route that work as policies. */
export type ModuleCompiler = (
  modules: StoredModules,
  route: { readonly id: string; readonly accountId: string },
) => readonly RouteModule[]

type Guards = Pick<EdgeRoute, 'userAgentFilter' | 'modules'>

/** What stands between a visitor and the backend of a route. Compiled once for each version of the route. */
export class RouteGuards {
  readonly #compileModules: ModuleCompiler
  readonly #known = new WeakMap<StoredModules, Guards>()

  constructor(compileModules: ModuleCompiler) {
    this.#compileModules = compileModules
  }

  of({ id, accountId, body: { modules } }: MirroredItem<StoredRoute>): Guards {
    const known = this.#known.get(modules)
    if (known !== undefined) return known
    const guards = {
      userAgentFilter: userAgentFilterOf(modules),
      modules: this.#compileModules(modules, { id, accountId }),
    }
    this.#known.set(modules, guards)
    return guards
  }
}

function userAgentFilterOf({ user_agent_filter: filter }: StoredModules): UserAgentFilter | null {
  return filter?.enabled === true ? new UserAgentFilter(filter.allow ?? [], filter.deny ?? []) : null
}
