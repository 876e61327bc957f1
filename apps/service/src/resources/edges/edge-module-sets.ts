import {
  type EdgeModuleName,
  httpsEdgeModuleNames,
  routeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from '@tunnel/models'
import type { ModuleCheck } from '../../policies/route-modules.ts'
import { Modules } from './modules.ts'

export type EdgeModuleSets = ReturnType<typeof createEdgeModules>

/** The modules that are carried out, by where they are set. */
export interface ActingModules {
  readonly edges: ReadonlySet<EdgeModuleName>
  readonly routes: ReadonlySet<EdgeModuleName>
}

/** The modules of every type of edge and of routes; only those that act can be set. */
export function createEdgeModules({ edges, routes }: ActingModules, check: ModuleCheck) {
  return {
    https: new Modules(httpsEdgeModuleNames, 'https', edges, check),
    routes: new Modules(routeModuleNames, 'https', routes, check),
    tcp: new Modules(tcpEdgeModuleNames, 'tcp', edges, check),
    tls: new Modules(tlsEdgeModuleNames, 'tls', edges, check),
  }
}
