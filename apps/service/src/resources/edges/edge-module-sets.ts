import { httpsEdgeModuleNames, routeModuleNames, tcpEdgeModuleNames, tlsEdgeModuleNames } from '@tunnel/models'
import type { ModuleCheck } from '../../policies/route-modules.ts'
import { Modules } from './modules.ts'

export type EdgeModuleSets = ReturnType<typeof createEdgeModules>

/** The modules of every type of edge and of routes. */
export function createEdgeModules(check: ModuleCheck) {
  return {
    https: new Modules(httpsEdgeModuleNames, 'https', check),
    routes: new Modules(routeModuleNames, 'https', check),
    tcp: new Modules(tcpEdgeModuleNames, 'tcp', check),
    tls: new Modules(tlsEdgeModuleNames, 'tls', check),
  }
}
