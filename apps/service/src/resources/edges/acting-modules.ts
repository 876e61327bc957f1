import type { EdgeModuleName } from '@tunnel/models'

/**
 * The modules that the edge carries out. Any other is refused, since storing it would promise what nobody does.
 */
export const actingModules: ReadonlySet<EdgeModuleName> = new Set<EdgeModuleName>(['backend', 'ip_restriction'])
