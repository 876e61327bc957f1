import {
  type EdgeModuleName,
  httpsEdgeModuleNames,
  routeModuleNames,
  tcpEdgeModuleNames,
  tlsEdgeModuleNames,
} from '@tunnel/models'
import { Modules } from './modules.ts'

export type EdgeModuleSets = ReturnType<typeof createEdgeModules>

/** The modules of every type of edge and of routes; only those that act can be set. */
export function createEdgeModules(acting: ReadonlySet<EdgeModuleName>) {
  return {
    https: new Modules(httpsEdgeModuleNames, 'https', acting),
    routes: new Modules(routeModuleNames, 'https', acting),
    tcp: new Modules(tcpEdgeModuleNames, 'tcp', acting),
    tls: new Modules(tlsEdgeModuleNames, 'tls', acting),
  }
}
